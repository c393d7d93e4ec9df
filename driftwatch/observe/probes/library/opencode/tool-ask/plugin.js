import { hear, keys, kind, mark } from "../../.driftwatch/mark.mjs"

let asks = 0

// `went-on` comes once a call: when the user is asked, or when the tool went on without.
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
            mark("went-on")
            return "cannot-ask"
          }
          mark("asking")
          const before = asks
          try {
            const told = context.ask({ permission: "driftwatch", patterns: ["x"], always: ["x"], metadata: { why: "probe" } })
            mark("told", { gives: kind(told) })
            mark("answered", { gives: kind(await told) })
            if (asks === before) mark("went-on")
            return "was-allowed"
          } catch (error) {
            mark("refused", { error: error?.name ?? error?._tag ?? null, keys: keys(error) })
            throw error
          }
        },
      },
    },
    event: hear((event) => {
      if (event.type === "permission.asked" || event.type === "permission.updated") {
        asks++
        mark("asked", { id: event.properties.id })
        mark("went-on")
      }
      return {}
    }),
  }
}
