import { mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.cleanup",
  setup: async () => {
    mark("setup")
    return async (...given) => {
      mark("cleanup", { arguments: given.length })
      await new Promise((resolve) => setTimeout(resolve, 50))
      mark("cleaned")
    }
  },
}
