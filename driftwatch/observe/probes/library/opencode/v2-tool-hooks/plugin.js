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

export default {
  id: "driftwatch.tool-hooks",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.tool) })
    if (!ctx.tool) return
    await ctx.tool.hook("execute.before", (event) => {
      mark("before", { tool: event.tool, keys: keys(event), input: event.input })
      if (event.input?.text === "throw") throw new Error("driftwatch threw before")
      if (event.tool === "driftwatch_echo") event.input = { text: "changed" }
    })
    await ctx.tool.hook("execute.after", (event) => {
      mark("after", { tool: event.tool, keys: keys(event), result: event.result?.type })
      if (event.tool !== "driftwatch_echo") return
      event.result = { type: "text", value: "changed after" }
      if (event.output) event.output = { ...event.output, content: [{ type: "text", text: "changed output" }] }
    })
    await ctx.tool.transform((draft) =>
      draft.add({
        name: "driftwatch_echo",
        description: "says what it was given",
        jsonSchema: text({ type: "string" }),
        options: { codemode: false },
        execute: async (input) => {
          mark("ran", { input })
          return { structured: input, content: [{ type: "text", text: `ran ${JSON.stringify(input)}` }] }
        },
      }),
    )
    mark("ready")
  },
}
