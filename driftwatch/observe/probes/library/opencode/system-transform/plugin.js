import { keys, mark } from "../../.driftwatch/mark.mjs"

export const First = async () => {
  mark("init")
  return {
    "experimental.chat.system.transform": async (input, output) => {
      mark("system", { input: keys(input), texts: output.system.length })
      output.system.push("pushed-one", "pushed-two", "pushed-three")
    },
  }
}

export const Second = async () => ({
  "experimental.chat.system.transform": async (input, output) => {
    mark("system-second", { texts: output.system.length })
    output.system = ["put-instead"]
  },
})
