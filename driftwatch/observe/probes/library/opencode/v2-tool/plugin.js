import { keys, mark } from "../../.driftwatch/mark.mjs"

const text = (schema) => ({ type: "object", properties: { text: schema }, required: ["text"], additionalProperties: false })
// A schema as the standard-schema libraries make them, without one of them.
const standard = (json, check) => ({
  "~standard": {
    version: 1,
    vendor: "driftwatch",
    validate: (value) => (check(value) ? { value } : { issues: [{ message: "driftwatch: not of this shape" }] }),
    jsonSchema: { input: () => json, output: () => json },
  },
})
const shape = standard(text({ type: "string" }), (value) => typeof value?.text === "string")

const ran = (tool, input, context) => mark("ran", { tool, input, context: keys(context) })

const TOOLS = [
  {
    name: "driftwatch_plain",
    description: "plain JSON schemas",
    jsonSchema: text({ type: "string" }),
    outputSchema: text({ type: "string" }),
    options: { codemode: false },
    execute: async (input, context) => {
      ran("plain", input, context)
      return { structured: { text: "given" }, content: [{ type: "text", text: "plain says given" }] }
    },
  },
  {
    name: "driftwatch_typed",
    description: "schemas of a library",
    input: shape,
    output: shape,
    options: { codemode: false },
    execute: async (input, context) => {
      ran("typed", input, context)
      return { text: "typed" }
    },
    toModelOutput: ({ output }) => [{ type: "text", text: `typed says ${output.text}` }],
  },
  {
    name: "driftwatch_wrong",
    description: "gives what it did not declare",
    input: shape,
    output: shape,
    options: { codemode: false },
    execute: async (input, context) => {
      ran("wrong", input, context)
      return { other: 1 }
    },
  },
  { name: "driftwatch_code", description: "for the code tool", input: shape, output: shape, execute: async () => ({ text: "" }) },
]

export default {
  id: "driftwatch.tool",
  setup: async (ctx) => {
    const seen = { domain: keys(ctx.tool) }
    try {
      const registration = await ctx.tool?.transform((draft) => {
        mark("draft", { draft: keys(draft) })
        for (const tool of TOOLS) draft.add(tool)
      })
      seen.registered = keys(registration)
    } catch (error) {
      seen.error = String(error?.message ?? error).split("\n")[0]
    }
    mark("setup", seen)
  },
}
