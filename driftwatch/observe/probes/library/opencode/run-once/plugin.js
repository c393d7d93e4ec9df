import { host, mark, role } from "../../.driftwatch/mark.mjs"

// The host puts quotes around a text with spaces: a directive for the model needs a line of its own inside.
const run = (text) => ["run", "--model", "mock/m1", text]

async function both() {
  const [once, killed] = await Promise.all([
    host("once", run("hello\nmock:say said-by-the-model\nthanks")),
    host("killed", run("hello\nmock:pause 50\nmock:say never\nthanks"), { kill: ["SIGKILL", "params"] }),
  ])
  mark("once", { code: once.code, said: once.output.includes("said-by-the-model"), last: once.code ? once.output.slice(-300) : null })
  mark("killed", { signal: killed.signal })
  mark("done")
}

export const RunOnce = async () => {
  mark("init")
  return {
    config: async () => {
      mark("config")
      if (!role) both().catch((error) => mark("failed", { error }))
    },
    "chat.params": async () => mark("params"),
    "experimental.text.complete": async () => mark("complete"),
    event: async ({ event }) => {
      if (event.type === "session.idle" || event.type.includes("dispose")) mark(event.type)
    },
    dispose: async () => mark("dispose"),
  }
}
