// A server plugin of the kind overclock is: it looks at every turn, injects a prompt, and cleans up after itself.
import type { Hooks, Plugin } from "@opencode-ai/plugin"
import { tool } from "@opencode-ai/plugin/tool"

const server: Plugin = async ({ client, directory }) => {
  const busy = new Map<string, boolean>()
  const timer = setInterval(() => busy.clear(), 60_000)

  const inject = async (sessionID: string, text: string) => {
    const { data } = await client.session.messages({ path: { id: sessionID } })
    const last = data?.findLast((message) => message.info.role === "assistant")?.info
    if (last?.role !== "assistant") return
    const model = { providerID: last.providerID, modelID: last.modelID } // without it the turn runs on the default model
    await client.session.promptAsync({ path: { id: sessionID }, body: { model, parts: [{ type: "text", text }] } })
  }

  const hooks: Hooks = {
    event: async ({ event }) => {
      if (event.type === "session.created") await client.tui.showToast({ body: { message: directory, variant: "info" } })
      if (event.type === "session.status" && event.properties.status.type === "idle") {
        busy.set(event.properties.sessionID, false)
        await inject(event.properties.sessionID, "go on")
      }
      if (event.type === "session.error" || event.type === "session.deleted") busy.clear()
    },
    config: async (config) => {
      config.command = { ...config.command, overclock: { template: "faster: $ARGUMENTS" } }
    },
    "chat.message": async (input, output) => {
      busy.set(input.sessionID, true)
      output.parts.push({ ...output.parts[0]! })
    },
    "chat.params": async (_input, output) => {
      output.temperature = 0
    },
    "tool.execute.before": async (input, output) => {
      if (input.tool === "bash") output.args.description ??= "overclock"
    },
    "tool.execute.after": async (_input, output) => {
      output.title = output.title.trim()
    },
    "experimental.chat.system.transform": async (_input, output) => {
      output.system.push("Be quick.")
    },
    "experimental.session.compacting": async (_input, output) => {
      output.context.push("Keep the numbers.")
    },
    tool: {
      schedule: tool({
        description: "Run a prompt later",
        args: { text: tool.schema.string() },
        execute: async ({ text }, context) => {
          await context.ask({ permission: "schedule", patterns: [text], always: ["*"], metadata: {} })
          return { title: "scheduled", output: text, metadata: { session: context.sessionID } }
        },
      }),
    },
    dispose: async () => clearInterval(timer),
  }
  return hooks
}

export default { id: "overclock", server }
