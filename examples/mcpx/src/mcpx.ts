// A v1 plugin of the kind mcpx has. The socket client is in a folder below: the loader's glob does not go there.
import type { Plugin } from "@opencode-ai/plugin"
import { tool } from "@opencode-ai/plugin/tool"
import { post } from "./mcpx/daemon"

export const Mcpx: Plugin = async ({ client, directory, $ }) => {
  const status = await $`mcpx --json status`.nothrow().quiet()
  return {
    "shell.env": async (input, output) => {
      output.env.MCPX_SESSION_ID = input.sessionID ?? ""
      output.env.MCPX_CALL_ID = input.callID ?? ""
    },
    "experimental.chat.system.transform": async (_input, output) => {
      output.system.push("mcpx runs tools from the shell.")
    },
    "tool.execute.before": async (input) => post(directory, { at: "before", tool: input.tool }),
    "tool.execute.after": async (input) => post(directory, { at: "after", tool: input.tool }),
    event: async ({ event }) => {
      if (event.type === "session.created" && status.exitCode !== 0) {
        await client.tui.showToast({ body: { message: "mcpx: no daemon here", variant: "warning" } })
      }
    },
    tool: {
      mcpx_daemon_select: tool({
        description: "Choose a daemon",
        args: { index: tool.schema.number() },
        execute: async ({ index }, context) => {
          await context.ask({ permission: "mcpx", patterns: [String(index)], always: ["*"], metadata: {} })
          return `daemon ${index}`
        },
      }),
    },
  }
}
