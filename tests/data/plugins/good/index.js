// Works, and takes everything along when it is let go.
export const Good = async () => {
  const timer = setInterval(() => {}, 60_000)
  return {
    "experimental.chat.system.transform": async (_input, output) => {
      output.system.push("be good")
    },
    dispose: async () => clearInterval(timer),
  }
}
