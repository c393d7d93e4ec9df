import { fileURLToPath } from "node:url"
import { keys, mark } from "../../.driftwatch/mark.mjs"

// The stream is of the whole server: what concerns other projects, probed at the same time, is left out here.
const project = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")
const sessions = new Set()

function ours(event, data) {
  const text = JSON.stringify(event)
  if (text.includes(`${project}/other`)) return false
  if (text.includes(`${project}"`) || text.includes(`${project}/`)) {
    if (data?.sessionID) sessions.add(data.sessionID)
    return true
  }
  const mine = sessions.has(data?.sessionID) || sessions.has(data?.parentID)
  if (mine && data?.sessionID) sessions.add(data.sessionID)
  return mine
}

export default {
  id: "driftwatch.events",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.event) })
    if (!ctx.event) return
    const read = async () => {
      for await (const event of ctx.event.subscribe()) {
        const data = event.data ?? event.properties
        if (JSON.stringify(event).includes(`${project}/other`)) mark("foreign", { type: event.type })
        if (!ours(event, data)) continue
        mark("event", { type: event.type, keys: keys(data), envelope: keys(event), parent: data?.parentID ?? data?.info?.parentID ?? "" })
        mark(event.type)
      }
    }
    read().catch((error) => mark("ended", { error: String(error?.message ?? error) }))
  },
}
