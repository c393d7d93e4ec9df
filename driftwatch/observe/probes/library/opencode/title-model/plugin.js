import { keys, mark } from "../../.driftwatch/mark.mjs"

export const TitleModel = async () => {
  mark("init")
  return {
    "experimental.provider.small_model": async (input, output) => mark("small", { input: keys(input), output: keys(output) }),
    "chat.params": async (input) => mark("params", { agent: input.agent?.name ?? input.agent }),
  }
}
