import { mark } from "../../.driftwatch/mark.mjs"

export default {
  id: "driftwatch.beside",
  setup: async () => {
    mark("beside")
    return () => mark("beside_cleanup")
  },
}
