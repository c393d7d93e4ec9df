import { keys, mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.load",
  setup: async (ctx) => {
    mark("init", { keys: keys(ctx) })
  },
}
