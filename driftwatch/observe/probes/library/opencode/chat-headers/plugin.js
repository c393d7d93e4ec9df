import { keys, mark } from "../../.driftwatch/mark.mjs"

let turns = 0

export const ChatHeaders = async () => {
  mark("init")
  return {
    "chat.headers": async (input, output) => {
      const agent = input.agent?.name ?? input.agent
      mark("headers", { agent, input: keys(input), output: keys(output), given: keys(output.headers) })
      if (agent === "title") return
      output.headers["user-agent"] = "driftwatch"
      if (turns++ === 0) output.headers["x-driftwatch"] = "in-place"
      else output.headers = { "x-replaced": "whole" }
    },
  }
}
