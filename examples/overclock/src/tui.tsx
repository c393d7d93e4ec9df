// The TUI half, in a module of its own: one module cannot have both.
import type { TuiPlugin, TuiPluginApi } from "@opencode-ai/plugin/tui"

const tui: TuiPlugin = async (api: TuiPluginApi) => {
  const laps = Number(api.kv.get("laps") ?? 0)
  api.event.on("session.idle", () => {
    api.kv.set("laps", laps + 1)
    void api.attention.notify({ title: "overclock", message: "done" })
  })
  api.ui.toast({ message: `lap ${laps}` })
}

export default { id: "overclock-tui", tui }
