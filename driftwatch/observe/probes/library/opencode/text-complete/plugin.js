import { keys, mark } from "../../.driftwatch/mark.mjs"

export const TextComplete = async () => {
  mark("init")
  return {
    "experimental.text.complete": async (input, output) => {
      mark("complete", { input: keys(input), output: keys(output), text: output.text })
      output.text += " and-completed"
    },
  }
}
