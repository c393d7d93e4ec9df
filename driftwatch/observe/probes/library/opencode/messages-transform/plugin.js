import { keys, mark } from "../../.driftwatch/mark.mjs"

export const First = async () => {
  mark("init")
  return {
    "experimental.chat.messages.transform": async (input, output) => {
      const message = output.messages[0]
      mark("messages", { input: keys(input), message: keys(message), info: keys(message?.info), messages: output.messages.length })
      for (const each of output.messages)
        for (const part of each.parts) if (part.type === "text") part.text += " changed-in-place"
    },
  }
}

export const Second = async () => ({
  "experimental.chat.messages.transform": async (input, output) => {
    output.messages = []
  },
})
