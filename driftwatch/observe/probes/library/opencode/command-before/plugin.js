import { keys, mark } from "../../.driftwatch/mark.mjs"

export const CommandBefore = async () => {
  mark("init")
  return {
    "command.execute.before": async (input, output) => {
      mark("command", { input: keys(input), output: keys(output), arguments: input.arguments })
      if (input.arguments === "reassign") {
        output.parts = [{ type: "text", text: "put-instead" }]
        return
      }
      for (const part of output.parts) if (part.type === "text") part.text += " added-by-the-hook"
    },
    "chat.message": async () => mark("message"),
  }
}
