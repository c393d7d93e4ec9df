import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Subtask = async () => {
  mark("init")
  return {
    "tool.execute.before": async (input) => mark("before", { tool: input.tool }),
    "tool.execute.after": async (input, output) => mark("after", { tool: input.tool, metadata: keys(output.metadata) }),
    "experimental.chat.system.transform": async (input) => mark("system", { session: input.sessionID ?? null }),
  }
}
