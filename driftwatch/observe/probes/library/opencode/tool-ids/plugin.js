import { mark } from "../../.driftwatch/mark.mjs"

const tool = (description) => ({ description, args: {}, execute: async () => description })

export const Tools = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_probe: tool("an id of its own"),
      webfetch: tool("an id that a built-in tool has"),
      Bash: tool("an id that differs from a built-in one only in case"),
    },
  }
}
