import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Overflow = async () => {
  mark("init")
  return {
    "experimental.session.compacting": async () => mark("compacting"),
    "experimental.compaction.autocontinue": async (input, output) =>
      mark("autocontinue", { input: keys(input), overflow: input.overflow ?? null, given: output.enabled }),
    event: async ({ event }) => {
      if (event.type === "session.compacted" || event.type === "session.idle") mark(event.type, { keys: keys(event.properties) })
    },
  }
}
