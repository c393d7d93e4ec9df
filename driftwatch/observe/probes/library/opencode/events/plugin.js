import { caused, hear, keys, mark } from "../../.driftwatch/mark.mjs"

export const Events = async () => {
  mark("init")
  return {
    event: async (input) => {
      const { event, ...rest } = input
      await hear(({ properties }) => ({
        envelope: [...keys(event), ...keys(rest)],
        info: keys(properties?.info),
        part: properties?.part?.type ?? null,
        status: properties?.status?.type ?? null,
        role: properties?.info?.role ?? null,
      }))(input)
      if (caused(event.type) && /^session\.(deleted|error|idle)$/.test(event.type)) mark(event.type, { error: event.properties?.error?.name ?? null })
    },
  }
}
