import { fileURLToPath } from "node:url"
import { keys, mark } from "../../.driftwatch/mark.mjs"

const directory = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "")

async function call(name, work) {
  let given
  let error = ""
  try {
    given = await work()
  } catch (caught) {
    error = String(caught?._tag ?? caught?.message ?? caught).split("\n")[0]
  }
  mark("call", { name, gives: keys(given), error })
  return given ?? {}
}

async function all(session) {
  const { id: sessionID } = await call("create", () => session.create({ location: { directory }, model: { id: "m1", providerID: "mock" } }))
  mark("session", { id: sessionID ?? "" })
  await call("get", () => session.get({ sessionID }))
  await call("prompt", () => session.prompt({ sessionID, text: "prompted", resume: false }))
  await call("command", () => session.command({ sessionID, command: "driftwatch", arguments: "this", resume: false }))
  await call("synthetic", () => session.synthetic({ sessionID, text: "injected" }))
  const other = await call("create", () => session.create({ location: { directory } }))
  await call("interrupt", () => session.interrupt({ sessionID: other.id }))
  await call("get", () => session.get({ sessionID: "ses_00000000nothing0000000001" }))
  mark("done")
}

export default {
  id: "driftwatch.session-calls",
  setup: async (ctx) => {
    mark("setup", { domain: keys(ctx.session) })
    let begun = false
    await ctx.session?.hook("context", () => {
      if (begun) return // its own sessions pass here, too
      begun = true
      all(ctx.session).catch((error) => mark("done", { error: String(error?.message ?? error) }))
    })
  },
}
