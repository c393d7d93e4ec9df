import { hear, keys, mark } from "../../.driftwatch/mark.mjs"

let continues = 0

export const Compaction = async () => {
  mark("init")
  return {
    "experimental.session.compacting": async (input, output) => {
      mark("compacting", { input: keys(input), output: keys(output) })
      output.context.push("context-of-the-plugin")
    },
    "experimental.compaction.autocontinue": async (input, output) => {
      mark("autocontinue", { input: keys(input), output: keys(output), given: output.enabled ?? null, overflow: input.overflow ?? null })
      if (continues++ === 0) output.enabled = false
    },
    "experimental.chat.messages.transform": async () => mark("messages"),
    "experimental.chat.system.transform": async () => mark("system"),
    "chat.params": async (input) => mark("params", { agent: input.agent?.name ?? input.agent }),
    "chat.message": async () => mark("message"),
    event: hear(),
  }
}
