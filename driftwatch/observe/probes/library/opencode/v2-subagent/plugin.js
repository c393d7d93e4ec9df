import { fileURLToPath } from "node:url"
import { keys, mark } from "../../.driftwatch/mark.mjs"

// The stream is of the whole server: only sessions of this project count.
const project = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")

export default {
  id: "driftwatch.subagent",
  setup: async (ctx) => {
    await ctx.session?.hook("context", (event) => mark("context", { agent: event.agent }))
    mark("setup", { domain: keys(ctx.event) })
    if (!ctx.event) return
    const read = async () => {
      for await (const event of ctx.event.subscribe()) {
        const data = event.data ?? {}
        if (event.type === "session.created" && JSON.stringify(event).includes(`${project}"`)) {
          const parent = data.info?.parentID ?? data.parentID ?? ""
          mark("created", { keys: keys(data.info ?? data), parent })
          if (parent) mark("child")
        }
      }
    }
    read().catch((error) => mark("ended", { error: String(error?.message ?? error) }))
  },
}
