import { keys, mark } from "../../.driftwatch/mark.mjs"

let calls = 0

export const Compaction = async () => {
  mark("init")
  return {
    "experimental.session.compacting": async (input, output) => {
      mark("compacting", { input: keys(input), output: keys(output) })
      if (calls++ === 0) output.context.push("context-of-the-plugin")
      else output.prompt = "prompt-of-the-plugin"
    },
    "experimental.compaction.autocontinue": async (input, output) => {
      mark("autocontinue", { input: keys(input), output: keys(output) })
      output.enabled = false
    },
  }
}
