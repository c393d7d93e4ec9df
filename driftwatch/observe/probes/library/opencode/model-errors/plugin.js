import { keys, mark } from "../../.driftwatch/mark.mjs"

export const ModelErrors = async () => {
  mark("init")
  return {
    event: async ({ event }) => {
      const { status, error } = event.properties ?? {}
      if (event.type === "session.error") mark("error", { name: error?.name ?? null, keys: keys(error), data: keys(error?.data) })
      if (event.type === "session.status") mark("status", { type: status?.type ?? null, keys: keys(status) })
      if (event.type === "session.status" && status?.type === "retry") mark("retry", { attempt: status.attempt ?? null })
      if (event.type === "message.part.updated" && event.properties.part.type === "retry") mark("retry", { part: keys(event.properties.part) })
    },
  }
}
