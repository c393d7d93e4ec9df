import { keys, mark } from "../../.driftwatch/mark.mjs"

export const PermissionAsk = async () => {
  mark("init")
  return {
    "permission.ask": async (input, output) => {
      mark("ask", { input: keys(input), output: keys(output), given: output.status ?? null })
      output.status = "allow"
    },
    event: async ({ event }) => {
      if (event.type === "permission.asked" || event.type === "permission.updated") mark("asked", { id: event.properties.id })
      if (/^(permission\.(asked|updated)|session\.idle)$/.test(event.type)) mark("went-on")
    },
  }
}
