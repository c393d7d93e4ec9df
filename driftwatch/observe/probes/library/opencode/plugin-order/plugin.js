import { mark } from "../../.driftwatch/mark.mjs"

// One text under three names: what each does follows from where it came in the order the host loaded them.
const HOOKS = [
  "chat.params", "chat.headers", "command.execute.before", "tool.execute.before", "tool.execute.after", "tool.definition",
  "shell.env", "experimental.chat.messages.transform", "experimental.text.complete", "experimental.session.compacting",
  "experimental.compaction.autocontinue",
]
const loaded = (globalThis.driftwatchOrder ??= {})

export const Order = async (input) => {
  const at = (loaded[input.directory] ??= []).push(import.meta.url) - 1
  mark("init", { at, file: import.meta.url.split("/").pop() })
  const hook = (name) => async (input) => {
    mark("call", { hook: name, at, agent: input?.agent?.name ?? input?.agent ?? null })
    await new Promise((done) => setTimeout(done, 2))
  }
  return {
    ...Object.fromEntries(HOOKS.map((name) => [name, hook(name)])),
    config: hook("config"),
    "chat.message": async (input, output) => {
      mark("call", { hook: "chat.message", at })
      if (at === 1 && output.parts[0]?.text?.includes("please throw")) throw new Error("thrown by the second")
      await new Promise((done) => setTimeout(done, 20))
    },
    "experimental.chat.system.transform": async (input, output) => {
      mark("system", { at, seen: output.system.filter((text) => text.startsWith("from-")).length })
      output.system.push(`from-${at}`)
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") mark("call", { hook: "event", at })
    },
  }
}
