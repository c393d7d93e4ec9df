import { keys, mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.events",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.event) })
    if (!ctx.event) return
    const read = async () => {
      for await (const event of ctx.event.subscribe()) {
        const data = event.data ?? event.properties
        mark("event", { type: event.type, keys: keys(data), envelope: keys(event), parent: data?.parentID ?? data?.info?.parentID ?? "" })
        mark(event.type)
      }
    }
    read().catch((error) => mark("ended", { error: String(error?.message ?? error) }))
  },
}
