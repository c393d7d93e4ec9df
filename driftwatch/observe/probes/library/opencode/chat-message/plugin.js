import { keys, mark } from "../../.driftwatch/mark.mjs"

export const ChatMessage = async () => {
  mark("init")
  return {
    "chat.message": async (input, output) => {
      const part = output.parts[0]
      mark("chat.message", { input: keys(input), message: keys(output.message), part: keys(part), text: part.text })
      if (part.text === "change-in-place") part.text += " added-in-place"
      if (part.text === "reassign-all") output.parts = [{ ...part, text: "put-instead" }]
    },
  }
}
