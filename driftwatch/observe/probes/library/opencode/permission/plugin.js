import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Permission = async () => {
  mark("init")
  return {
    "permission.ask": async (input, output) => {
      mark("permission.ask", { input: keys(input), output: keys(output), status: output?.status ?? null })
      if (JSON.stringify(input).includes("hook-allows")) output.status = "allow"
    },
    "tool.execute.before": async (input) => mark("before", { tool: input.tool }),
    event: async ({ event }) => {
      if (!event.type.startsWith("permission")) return
      mark("event", { type: event.type, keys: keys(event.properties), reply: event.properties.reply ?? event.properties.response ?? null })
      if (event.type === "permission.asked" || event.type === "permission.updated") mark("asked", { id: event.properties.id })
    },
  }
}
