import { keys, mark } from "../../.driftwatch/mark.mjs"

const methods = (value) => {
  const found = new Set()
  for (let at = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (!name.startsWith("_") && name !== "constructor") found.add(name)
  return [...found].sort()
}

let started = false

export const ClientCalls = async ({ client, serverUrl }) => {
  mark("init", {
    client: methods(client),
    session: methods(client.session),
    tui: methods(client.tui),
    url: serverUrl?.constructor?.name ?? null,
  })
  const call = async (name, work) => {
    try {
      const answer = await work()
      mark("call", { name, keys: keys(answer).filter((key) => key !== "request" && key !== "response"), error: answer?.error !== undefined })
    } catch (error) {
      mark("call", { name, thrown: error.name })
    }
  }
  return {
    "chat.message": async (input) => {
      if (started) return
      started = true
      const path = { id: input.sessionID }
      setTimeout(async () => {
        await call("session.list", () => client.session.list())
        await call("session.messages", () => client.session.messages({ path }))
        await call("session.get of nothing", () => client.session.get({ path: { id: "ses_nothing" } }))
        await call("tui.showToast", () => client.tui.showToast({ body: { message: "hello", variant: "info" } }))
        await call("app.log", () => client.app.log({ body: { service: "probe", level: "info", message: "hello" } }))
        await call("session.promptAsync", () =>
          client.session.promptAsync({ path, body: { parts: [{ type: "text", text: "asked-by-the-plugin" }] } }),
        )
        mark("done")
      }, 50)
    },
  }
}
