import { follow, keys, mark } from "../../.driftwatch/mark.mjs"

let instances = 0

export const Dispose = async (input) => {
  const instance = ++instances
  follow(input)
  mark("init", { instance })
  return {
    dispose: async (...given) => {
      mark("dispose", { instance, arguments: given.length })
      if (instance === 1) throw new Error("thrown in dispose")
    },
    event: async ({ event }) => {
      if (event.type.includes("dispose")) mark("event", { instance, type: event.type, keys: keys(event.properties) })
    },
  }
}

export const Second = async () => {
  const instance = instances
  return { dispose: async () => mark("second", { instance }) }
}
