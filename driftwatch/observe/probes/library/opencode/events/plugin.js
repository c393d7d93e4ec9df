import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Events = async () => {
  mark("init")
  return {
    event: async ({ event, ...rest }) => {
      mark("event", {
        type: event.type,
        envelope: [...keys(event), ...keys(rest)],
        keys: keys(event.properties),
        part: event.properties?.part?.type ?? null,
        status: event.properties?.status?.type ?? null,
      })
      if (event.type === "session.deleted" || event.type === "session.error") mark(event.type)
    },
  }
}
