import { keys, mark } from "../../.driftwatch/mark.mjs"

export const ToolExecute = async () => {
  mark("init")
  return {
    "tool.execute.before": async (input, output) => {
      const description = output.args.description
      mark("before", { input: keys(input), output: keys(output), args: keys(output.args), description })
      if (description === "in-place") output.args.command = "echo ran-in-place"
      if (description === "replace") output.args = { ...output.args, command: "echo ran-replaced" }
      if (description === "throw") throw new Error("refused by the plugin")
    },
    "tool.execute.after": async (input, output) => {
      const description = input.args?.description ?? null
      mark("after", { input: keys(input), output: keys(output), metadata: keys(output.metadata), description })
      output.title = "title-of-the-hook"
      output.output += " seen-after"
      if (description === "in-place") output.metadata.note = "metadata-in-place"
      else output.metadata = { note: "metadata-replaced" }
    },
  }
}
