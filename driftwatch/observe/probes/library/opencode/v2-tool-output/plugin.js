import { keys, mark } from "../../.driftwatch/mark.mjs"

const NOTHING = { type: "object", properties: {}, additionalProperties: false }
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
const text = (value) => ({ structured: {}, content: [{ type: "text", text: value }] })

const tool = (name, execute, options = { codemode: false }) => ({
  name: `driftwatch_${name}`,
  description: `driftwatch ${name}`,
  jsonSchema: NOTHING,
  options,
  execute,
})

const TOOLS = [
  tool("long", async () => text("a line of a long text\n".repeat(20000))),
  tool("throws", async () => {
    throw new Error("driftwatch threw")
  }),
  tool("picture", async () => ({ structured: { seen: true }, content: [{ type: "file", data: PIXEL, mime: "image/png", name: "one.png" }] })),
  tool("progress", async (input, context) => {
    let error = ""
    try {
      await context.progress({ structured: { done: 1 }, content: [{ type: "text", text: "half" }] })
    } catch (caught) {
      error = String(caught?.message ?? caught).split("\n")[0]
    }
    mark("progressed", { error })
    return text("progressed")
  }),
  tool(
    "code",
    async () => {
      mark("code")
      return text("from the code tool")
    },
    {},
  ),
]

export default {
  id: "driftwatch.tool-output",
  setup: async (ctx) => {
    await ctx.tool?.transform((draft) => {
      for (const each of TOOLS) draft.add(each)
    })
    mark("setup", { domain: keys(ctx.tool) })
  },
}
