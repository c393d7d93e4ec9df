import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Subtask = async () => {
  mark("init")
  return {
    "tool.execute.before": async (input, output) => mark("before", { tool: input.tool, args: keys(output?.args) }),
    "tool.execute.after": async (input, output) =>
      mark("after", { tool: input.tool, given: output === undefined ? "nothing" : keys(output), metadata: keys(output?.metadata) }),
    "experimental.chat.system.transform": async (input) => mark("system", { session: input.sessionID ?? null }),
    "chat.params": async (input) => mark("params", { agent: input.agent?.name ?? input.agent }),
    event: async ({ event }) => {
      if (event.type === "session.created") mark("created", { parent: event.properties.info.parentID !== undefined })
    },
  }
}
