export const Broken = async () => {
  throw new Error("no key configured")
}
