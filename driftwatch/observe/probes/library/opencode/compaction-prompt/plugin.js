import { keys, mark } from "../../.driftwatch/mark.mjs"

export const CompactionPrompt = async () => {
  mark("init")
  return {
    "experimental.session.compacting": async (input, output) => {
      mark("compacting", { output: keys(output), prompt: "prompt" in output })
      if (output.context) output.context = ["context-put-instead"]
      output.prompt = "prompt-of-the-plugin"
    },
  }
}
