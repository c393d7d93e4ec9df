import { mark } from "../../.driftwatch/mark.mjs"

const version = "first"

export default {
  id: "driftwatch.changed",
  setup: async () => {
    mark("setup", { version })
    return (...given) => mark("cleanup", { version, arguments: given.length })
  },
}
