export const Broken = async () => ({})
