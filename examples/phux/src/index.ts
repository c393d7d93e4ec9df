// A plugin of the kind phux ships: it tells the model what the terminals do, and gives it tools that run a program.
import { define } from "@opencode-ai/plugin/v2/promise"
import type { PluginContext } from "@opencode-ai/plugin/v2/promise"

export default define({
  id: "phux",
  setup: async (ctx: PluginContext) => {
    const executable = String(ctx.options.executable ?? "phux")
    await ctx.command.transform((draft) => {
      draft.update("fleet", (command) => {
        command.template = `Show what ${executable} knows of every pane.`
      })
    })
    await ctx.command.reload()
  },
})
