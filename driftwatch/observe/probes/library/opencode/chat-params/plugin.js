import { keys, mark } from "../../.driftwatch/mark.mjs"

let params = 0
let headers = 0

export const ChatParams = async () => {
  mark("init")
  return {
    "chat.params": async (input, output) => {
      mark("params", { input: keys(input), output: keys(output), model: keys(input.model) })
      output.temperature = 0.25
      output.topP = 0.5
      if (params++ === 0) output.options.driftwatch = "in-place"
      else output.options = { replaced: "whole" }
    },
    "chat.headers": async (input, output) => {
      mark("headers", { input: keys(input), output: keys(output) })
      if (headers++ === 0) output.headers["x-driftwatch"] = "in-place"
      else output.headers = { "x-replaced": "whole" }
    },
  }
}
