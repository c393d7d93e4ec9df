import { mark } from "../../.driftwatch/mark.mjs"

const HOOKS = [
  "chat.message", "chat.params", "chat.headers", "permission.ask", "command.execute.before",
  "tool.execute.before", "tool.execute.after", "tool.definition", "shell.env",
  "experimental.chat.messages.transform", "experimental.chat.system.transform", "experimental.text.complete",
  "experimental.session.compacting", "experimental.compaction.autocontinue",
]

let victim = "" // the hook that throws, as the message or the command's arguments say

const named = (name, input, output) => {
  if (name === "command.execute.before") return input.arguments
  return name === "chat.message" ? (output.parts[0]?.text?.match(/throw in (\S+)/)?.[1] ?? victim) : victim
}

export const First = async () => {
  mark("init")
  const hook = (name) => async (input, output) => {
    victim = named(name, input, output)
    if (victim !== name) return
    mark("threw", { hook: name })
    throw new Error(`thrown in ${name}`)
  }
  return {
    ...Object.fromEntries(HOOKS.map((name) => [name, hook(name)])),
    config: async () => {
      throw new Error("thrown in config")
    },
    event: async ({ event }) => {
      const error = event.properties?.error
      if (event.type === "session.error") mark("error", { hook: victim, name: error?.name, message: error?.data?.message })
      if (victim === "event") throw new Error("thrown in event")
    },
  }
}

export const Second = async () => {
  const hook = (name) => async () => {
    if (victim === name) mark("next", { hook: name })
  }
  return {
    ...Object.fromEntries(HOOKS.map((name) => [name, hook(name)])),
    config: async () => mark("next", { hook: "config" }),
    event: async ({ event }) => {
      if (victim === "event" && event.type === "session.idle") mark("next", { hook: "event" })
    },
  }
}
