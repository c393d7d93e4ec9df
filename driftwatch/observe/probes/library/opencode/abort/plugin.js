import { mark } from "../../.driftwatch/mark.mjs"

export const Abort = async () => {
  mark("init")
  return {
    event: async ({ event }) => {
      mark("event", { type: event.type })
      if (event.type === "session.error") mark("error", { name: event.properties.error?.name ?? null })
      if (event.type === "session.idle") mark("session.idle")
      if (event.type.startsWith("message.part") && event.properties?.part?.type !== "step-start") mark("part")
    },
  }
}
