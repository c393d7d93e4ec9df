import { mark } from "../../.driftwatch/mark.mjs"

export const ToolAbort = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_wait: {
        description: "waits until it is told to stop",
        args: {},
        execute: async (args, context) => {
          mark("waiting")
          await new Promise((done) => {
            const limit = setTimeout(done, 15000)
            context.abort?.addEventListener("abort", () => {
              clearTimeout(limit)
              mark("abort", { reason: context.abort.reason?.name ?? null })
              done()
            })
          })
          return "stopped"
        },
      },
    },
    "tool.execute.after": async () => mark("after"),
    event: async ({ event }) => {
      if (event.type === "session.error") mark("error", { name: event.properties.error?.name ?? null })
      if (event.type === "session.idle") mark("idle")
      const { part } = event.properties ?? {}
      if (part?.type === "tool" && part.state?.status === "running") mark("running")
    },
  }
}
