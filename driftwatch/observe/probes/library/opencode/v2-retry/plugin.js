import { fileURLToPath } from "node:url"
import { keys, mark } from "../../.driftwatch/mark.mjs"

// The stream is of the whole server: only sessions of this project count.
const project = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")
const sessions = new Set()

export default {
  id: "driftwatch.retry",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.event) })
    if (!ctx.event) return
    const read = async () => {
      for await (const event of ctx.event.subscribe()) {
        const data = event.data ?? {}
        if (event.type === "session.created" && JSON.stringify(event).includes(`${project}"`)) sessions.add(data.sessionID)
        if (!sessions.has(data.sessionID)) continue
        mark("event", { type: event.type, keys: keys(data), reason: data.reason })
        mark(event.type)
      }
    }
    read().catch((error) => mark("ended", { error: String(error?.message ?? error) }))
  },
}
