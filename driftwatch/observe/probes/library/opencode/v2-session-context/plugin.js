import { keys, mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.session-context",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.session) })
    await ctx.session?.hook("context", (event) => {
      const [tool] = Object.values(event.tools)
      mark("context", {
        keys: keys(event),
        agent: event.agent,
        system: keys(event.system[0]),
        message: keys(event.messages[0]),
        tool: keys(tool),
        tools: keys(event.tools),
      })
      event.system.push({ type: "text", text: "driftwatch suffix" })
      if (event.tools.read) event.tools.read.description = "driftwatch description"
      delete event.tools.webfetch
    })
  },
}
