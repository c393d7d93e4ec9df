export const Broken = async () => ({ event: async ( => {} })
