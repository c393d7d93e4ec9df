import { keys, kind, mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.interrupt",
  setup: async (ctx) => {
    await ctx.tool?.transform((draft) =>
      draft.add({
        name: "driftwatch_slow",
        description: "takes its time",
        jsonSchema: { type: "object", properties: {}, additionalProperties: false },
        options: { codemode: false },
        execute: async (input, context) => {
          const signal = context.signal ?? context.abort
          signal?.addEventListener?.("abort", () => mark("aborted"))
          mark("began", { context: keys(context), signal: signal ? kind(signal) : "" })
          await new Promise((done) => setTimeout(done, 2500))
          mark("finished")
          return { structured: {}, content: [{ type: "text", text: "slow" }] }
        },
      }),
    )
    mark("setup", { domain: keys(ctx.tool) })
  },
}
