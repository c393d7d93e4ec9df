import { keys, mark } from "../../.driftwatch/mark.mjs"

export const SmallModel = async () => {
  mark("init")
  return {
    config: async (config) => {
      delete config.small_model // the hook is asked only where the configuration names none
    },
    "experimental.provider.small_model": async (input, output) => {
      mark("small", { input: keys(input), output: keys(output), provider: keys(input.provider) })
      const chosen = input.provider?.models?.m2
      if (chosen) output.model = chosen
    },
  }
}
