import { keys, mark } from "../../.driftwatch/mark.mjs"


export default {
  id: "driftwatch.v2",
  setup: async (ctx) => {
    mark("setup", { keys: keys(ctx) })
  },
}
