import { keys, mark } from "../../.driftwatch/mark.mjs"

export const ShellEnv = async () => {
  mark("init")
  return {
    "shell.env": async (input, output) => {
      mark("env", { input: keys(input), output: keys(output) })
      output.env.DRIFTWATCH_VALUE = "from-the-plugin"
    },
  }
}
