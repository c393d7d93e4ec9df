import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Load = async (input) => {
  mark("init", { keys: keys(input) })
  return {}
}
