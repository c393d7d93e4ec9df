import { mark } from "../../.driftwatch/mark.mjs"

const text = "driftwatch"
const WORK = {
  agent: (draft) => draft.update("driftwatch-agent", (item) => Object.assign(item, { description: text, mode: "subagent" })),
  command: (draft) =>
    draft.update("driftwatch-command", (item) => Object.assign(item, { template: text, description: text })),
  reference: (draft) => draft.add("driftwatch-reference", { type: "local", path: "/", description: text }),
  catalog: (draft) => {
    draft.provider.update("driftwatch-provider", (item) => Object.assign(item, { name: text }))
    draft.model.update("driftwatch-provider", "driftwatch-model", (item) => Object.assign(item, { name: text }))
  },
  integration: (draft) => draft.update("driftwatch-integration", (item) => Object.assign(item, { name: text })),
  skill: (draft) => draft.source({ type: "directory", path: "/driftwatch-nowhere" }),
}

async function register(ctx) {
  for (const [domain, work] of Object.entries(WORK)) {
    const seen = { domain, ran: false }
    try {
      const registration = await ctx[domain].transform((draft) => {
        mark("transform", { domain, draft: Object.keys(draft).sort() })
        work(draft)
        mark("worked", { domain })
      })
      seen.registration = Object.keys(registration ?? {}).sort()
    } catch (error) {
      seen.error = String(error?.message ?? error).split("\n")[0]
    }
    mark("registered", seen)
  }
  mark("done")
}

// A while after setup: what the host rebuilds by itself while it loads would or would not pick it up, as it happens.
export default {
  id: "driftwatch.registration",
  setup: async (ctx) => {
    mark("setup")
    setTimeout(() => register(ctx).catch((error) => mark("done", { error: String(error?.message ?? error) })), 2500)
  },
}
