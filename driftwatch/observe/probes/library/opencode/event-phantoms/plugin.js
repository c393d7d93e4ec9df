import { hear, mark } from "../../.driftwatch/mark.mjs"

export const Phantoms = async () => {
  mark("init")
  return {
    event: async (input) => {
      await hear()(input)
      const { type, properties } = input.event
      if (type === "permission.asked" || type === "permission.updated") mark("asked", { id: properties.id })
      if (type === "session.deleted") mark("deleted")
    },
  }
}
