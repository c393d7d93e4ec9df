import { follow, keys, mark } from "../../.driftwatch/mark.mjs"

let instances = 0

export const ConfigOnce = async (input) => {
  follow(input)
  const instance = ++instances
  mark("init", { instance })
  return {
    config: async (config) => {
      mark("config", { instance, keys: keys(config) })
      config.command = { ...config.command, "driftwatch-probe": { template: "added by the config hook" } }
    },
  }
}
