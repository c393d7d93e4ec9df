import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Mcp = async () => {
  mark("init")
  return {
    "tool.execute.before": async (input, output) => {
      mark("before", { tool: input.tool, input: keys(input), output: keys(output) })
      output.args.word = "word-of-the-hook"
    },
    "tool.execute.after": async (input, output) => {
      mark("after", { tool: input.tool, output: keys(output), content: (output?.content ?? []).map((part) => part.type) })
      if (output?.content?.[0]) output.content[0].text += " added-after"
      else if (output) output.output += " added-after"
    },
    "tool.definition": async (input) => {
      if (input.toolID.includes("speak")) mark("definition")
    },
    event: async ({ event }) => {
      if (event.type.startsWith("mcp")) mark("event", { type: event.type, keys: keys(event.properties) })
    },
  }
}
