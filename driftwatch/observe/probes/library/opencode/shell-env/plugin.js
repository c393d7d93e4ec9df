import { keys, mark } from "../../.driftwatch/mark.mjs"

let calls = 0

export const ShellEnv = async () => {
  mark("init")
  return {
    "shell.env": async (input, output) => {
      mark("env", { input: keys(input), output: keys(output), given: keys(output.env).length, cwd: input.cwd })
      if (calls++ === 3) output.env = { DRIFTWATCH_VALUE: "put-instead" }
      else output.env.DRIFTWATCH_VALUE = "from-the-plugin"
      output.env.TZ = "Asia/Tokyo"
    },
  }
}
