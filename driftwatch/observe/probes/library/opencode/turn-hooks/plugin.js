import { keys, mark } from "../../.driftwatch/mark.mjs"

const HOOKS = [
  "chat.message", "chat.params", "chat.headers", "permission.ask", "command.execute.before",
  "tool.execute.before", "tool.execute.after", "tool.definition", "shell.env",
  "experimental.chat.messages.transform", "experimental.chat.system.transform", "experimental.text.complete",
  "experimental.session.compacting", "experimental.compaction.autocontinue", "experimental.provider.small_model",
]

export const TurnHooks = async () => {
  mark("init")
  const record = (name) => async (input, output) => mark(name, { input: keys(input), output: keys(output) })
  return Object.fromEntries(HOOKS.map((name) => [name, record(name)]))
}
