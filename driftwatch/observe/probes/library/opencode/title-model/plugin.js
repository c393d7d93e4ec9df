import { mark } from "../../.driftwatch/mark.mjs"

export const TitleModel = async () => {
  mark("init")
  return {
    "experimental.provider.small_model": async () => mark("small"),
    "chat.params": async (input) => mark("params", { agent: input.agent?.name ?? input.agent }),
  }
}
