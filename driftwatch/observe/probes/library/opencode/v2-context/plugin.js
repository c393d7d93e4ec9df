import { keys, mark } from "../../.driftwatch/mark.mjs"

const KNOWN = [
  "agent", "aisdk", "catalog", "command", "event", "generate", "integration", "location", "mcp", "options", "permission",
  "plugin", "reference", "session", "shell", "skill", "storage", "tool",
]

// Keys two levels deep: catalog.provider.list and the like.
const below = (value) =>
  keys(value).flatMap((key) => (typeof value[key] === "object" ? [key, ...keys(value[key]).map((each) => `${key}.${each}`)] : [key]))

export default {
  id: "driftwatch.context",
  setup: async (ctx) => {
    const domains = Object.fromEntries(keys(ctx).map((key) => [key, below(ctx[key])]))
    const kinds = Object.fromEntries(keys(ctx).map((key) => [key, typeof ctx[key]]))
    mark("context", { keys: keys(ctx), domains, kinds, options: ctx.options, missing: KNOWN.filter((key) => !(key in ctx)) })
  },
}
