import pad from "driftwatch-nowhere-to-be-found"
export const Broken = async () => ({ event: async () => pad() })
