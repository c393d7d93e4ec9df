import { hear, keys, mark } from "../../.driftwatch/mark.mjs"

export const ToolAsk = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_ask: {
        description: "asks",
        args: {},
        execute: async (args, context) => {
          if (!context.ask) {
            mark("no-ask")
            return "cannot-ask"
          }
          mark("asking")
          try {
            const told = await context.ask({ permission: "driftwatch", patterns: ["x"], always: ["x"], metadata: { why: "probe" } })
            mark("answered", { gives: told ?? null })
            return "was-allowed"
          } catch (error) {
            mark("refused", { error: error?.name ?? error?._tag ?? null, kind: error?.constructor?.name ?? null, keys: keys(error) })
            throw error
          }
        },
      },
    },
    event: hear((event) => {
      if (event.type === "permission.asked" || event.type === "permission.updated") mark("asked", { id: event.properties.id })
      return {}
    }),
  }
}
