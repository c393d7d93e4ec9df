import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Permission = async () => {
  mark("init")
  return {
    "permission.ask": async (input, output) => mark("permission.ask", { input: keys(input), output: keys(output) }),
    event: async ({ event }) => {
      if (!event.type.startsWith("permission")) return
      mark("event", { type: event.type, keys: keys(event.properties) })
      if (event.type === "permission.asked" || event.type === "permission.updated") mark("permission.asked", { id: event.properties.id })
    },
  }
}
