import { mark } from "../../.driftwatch/mark.mjs"

export default { id: "driftwatch.pure", setup: async () => mark("setup") }
