import { mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.projects",
  setup: async (ctx) => {
    await ctx.agent.transform((draft) =>
      draft.update("driftwatch-agent", (item) => Object.assign(item, { description: "here", mode: "subagent" })),
    )
    await ctx.agent.reload()
    mark("setup")
  },
}
