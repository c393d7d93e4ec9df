import { mark } from "../../.driftwatch/mark.mjs"

export const SessionAsync = async () => {
  mark("init")
  return {
    event: async ({ event }) => {
      if (event.type === "session.idle") mark("idle")
    },
    "chat.message": async (input, output) => mark("message", { text: output.parts[0]?.text?.split("\n")[0] ?? null }),
  }
}
