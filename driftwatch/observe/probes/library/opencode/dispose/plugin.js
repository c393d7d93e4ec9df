import { mark } from "../../.driftwatch/mark.mjs"

let instances = 0

export const Dispose = async () => {
  const instance = ++instances
  mark("init", { instance })
  return {
    dispose: async (...given) => mark("dispose", { instance, arguments: given.length }),
  }
}
