import { keys, mark } from "../../.driftwatch/mark.mjs"

const tool = (description) => ({ description, args: {}, execute: async () => description })

export const ToolDefinition = async () => {
  mark("init")
  return {
    tool: { driftwatch_probe: tool("an id of its own"), webfetch: tool("an id that a built-in tool has") },
    "tool.definition": async (input, output) => {
      mark("definition", { id: input.toolID, input: keys(input), output: keys(output) })
      if (input.toolID === "bash") output.description = "changed-by-the-hook"
      if (input.toolID === "driftwatch_probe") output.jsonSchema = { type: "object", properties: { added: { type: "string" } } }
    },
  }
}
