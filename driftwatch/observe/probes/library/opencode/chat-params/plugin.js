import { keys, mark } from "../../.driftwatch/mark.mjs"

let turns = 0

export const ChatParams = async () => {
  mark("init")
  return {
    "chat.params": async (input, output) => {
      const agent = input.agent?.name ?? input.agent
      mark("params", { agent, input: keys(input), output: keys(output), model: keys(input.model), provider: keys(input.provider), options: keys(output.options) })
      if (agent === "title") return
      output.temperature = 0.25
      output.topP = 0.5
      output.maxOutputTokens = 1234
      if (turns++ === 0) output.options.driftwatch = "in-place"
      else output.options = { replaced: "whole" }
    },
  }
}
