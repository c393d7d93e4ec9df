export const Broken = async () => {
  await new Promise(() => {})
}
