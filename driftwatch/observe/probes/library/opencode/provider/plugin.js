import { keys, mark } from "../../.driftwatch/mark.mjs"

export const Provider = async () => {
  mark("init")
  return {
    provider: {
      id: "opencode",
      models: async (provider, context) => {
        const models = Object.values(provider.models)
        const first = models.find((model) => model.cost?.input === 0) ?? models[0] // without a key only what is free stays
        mark("models", { provider: keys(provider), context: keys(context), model: keys(first) })
        return { "driftwatch-model": { ...first, id: "driftwatch-model", name: "put in by the plugin" } }
      },
    },
  }
}

export const Unknown = async () => ({
  provider: {
    id: "driftwatch-unknown",
    models: async () => {
      mark("unknown")
      return {}
    },
  },
})
