import { mark } from "../../.driftwatch/mark.mjs"

// Long after setup: nothing the host does at load can pick this up.
async function register(ctx) {
  await ctx.agent.transform((draft) => {
    mark("late-transform", { domain: "agent" })
    draft.update("driftwatch-late", (item) => Object.assign(item, { description: "late", mode: "subagent" }))
  })
  await ctx.command.transform((draft) => {
    mark("late-transform", { domain: "command" })
    draft.update("driftwatch-late", (item) => Object.assign(item, { template: "late" }))
  })
  await ctx.agent.reload()
  await ctx.command.reload()
  mark("late")
}

export default {
  id: "driftwatch.late-reload",
  setup: async (ctx) => {
    setTimeout(() => register(ctx).catch((error) => mark("late", { error: String(error?.message ?? error) })), 2500)
  },
}
