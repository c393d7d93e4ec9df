import { hear, keys, kind, mark } from "../../.driftwatch/mark.mjs"

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
            const told = context.ask({ permission: "driftwatch", patterns: ["x"], always: ["x"], metadata: { why: "probe" } })
            mark("told", { gives: kind(told) })
            mark("answered", { gives: kind(await told) })
            return "was-allowed"
          } catch (error) {
            mark("refused", { error: error?.name ?? error?._tag ?? null, keys: keys(error) })
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
