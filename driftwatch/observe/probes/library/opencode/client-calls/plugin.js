import { keys, mark } from "../../.driftwatch/mark.mjs"

const methods = (value) => {
  const found = new Set()
  for (let at = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (!name.startsWith("_") && name !== "constructor") found.add(name)
  return [...found].sort()
}
const text = (text) => [{ type: "text", text }]

// Also when the host loads this file again: which of the two hears an event is not sure.
const started = (globalThis.driftwatchStarted ??= new Set())
const idle = (globalThis.driftwatchIdle ??= new Map())

export const ClientCalls = async ({ client }) => {
  mark("init", {
    client: methods(client),
    session: methods(client.session),
    tui: methods(client.tui),
    app: methods(client.app),
  })
  const call = async (name, work) => {
    try {
      const answer = await work()
      const data = answer?.data
      mark("call", {
        name,
        keys: keys(answer).filter((key) => key !== "request" && key !== "response"),
        error: answer?.error === undefined ? null : keys(answer.error),
        data: Array.isArray(data) ? ["[]", ...(typeof data[0] === "object" ? keys(data[0]) : [])] : typeof data === "object" ? keys(data) : String(data),
        status: answer?.response?.status ?? null,
      })
      return data
    } catch (error) {
      mark("call", { name, thrown: error.name })
    }
  }
  const ended = (id) => new Promise((done) => (setTimeout(done, 30000), idle.set(id, done)))
  const all = async (sessionID) => {
    const path = { id: sessionID }
    await call("session.list", () => client.session.list())
    const messages = await call("session.messages", () => client.session.messages({ path }))
    await call("session.get of nothing", () => client.session.get({ path: { id: "ses_nothing" } }))
    await call("session.get, throwing", () => client.session.get({ path: { id: "ses_nothing" }, throwOnError: true }))
    const made = await call("session.create", () => client.session.create({ body: { title: "made by the plugin" } }))
    await call("session.update", () => client.session.update({ path: { id: made.id }, body: { title: "renamed" } }))
    for (const [name, model] of [["with a model", { providerID: "mock", modelID: "m2" }], ["without a model", undefined]]) {
      const over = ended(made.id)
      await call(`session.promptAsync ${name}`, () =>
        client.session.promptAsync({ path: { id: made.id }, body: { ...(model ? { model } : {}), parts: text(`asked ${name}`) } }),
      )
      await over
    }
    await call("session.prompt without a reply", () => client.session.prompt({ path, body: { noReply: true, parts: text("noted") } }))
    await call("session.revert", () => client.session.revert({ path, body: { messageID: messages?.[0]?.info?.id } }))
    await call("session.unrevert", () => client.session.unrevert({ path }))
    await call("session.status", () => client.session.status())
    await call("session.children", () => client.session.children({ path }))
    await call("session.delete", () => client.session.delete({ path: { id: made.id } }))
    await call("tui.showToast", () => client.tui.showToast({ body: { message: "hello", variant: "info" } }))
    await call("tui.publish", () => client.tui.publish({ body: { type: "tui.prompt.append", properties: { text: "x" } } }))
    await call("tui.appendPrompt", () => client.tui.appendPrompt({ body: { text: "x" } }))
    await call("app.log", () => client.app.log({ body: { service: "probe", level: "info", message: "hello" } }))
    await call("config.get", () => client.config.get())
    await call("provider.list", () => client.provider.list())
    await call("path.get", () => client.path.get())
    await call("project.current", () => client.project.current())
    await call("file.status", () => client.file.status())
    await call("tool.ids", () => client.tool.ids())
    mark("done")
  }
  return {
    "chat.message": async (input, output) => {
      if (output.parts[0]?.text !== "start") return
      if (!started.has(input.sessionID)) setTimeout(() => all(input.sessionID).catch((error) => mark("failed", { error })), 50)
      started.add(input.sessionID)
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") idle.get(event.properties.sessionID)?.()
    },
  }
}
