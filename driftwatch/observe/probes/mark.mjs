// Placed beside every probed project as .driftwatch/mark.mjs: a plugin says what it saw with mark(name, data).
// One line of JSON a mark, appended in one write, so that any number of plugins and processes may mark at once.
import { spawn } from "node:child_process"
import { appendFileSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("./marks.jsonl", import.meta.url))
const project = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "")

// Which of several hosts this is: "" for the one under probe, else the name host() gave it. It stands in its marks.
export const role = process.env.DRIFTWATCH_ROLE ?? ""

export function mark(name, data = {}) {
  appendFileSync(file, JSON.stringify({ mark: name, ...(role ? { role } : {}), ...plain(data) }) + "\n")
}

// Events that come when something in the background is ready, not when a step is done: no two runs agree on them.
const BACKGROUND = /^(plugin\.added|(catalog|integration|reference|agent|command|skill|models-dev)\.|file\.watcher|vcs\.|lsp\.|project\.|server\.connected|server\.heartbeat)/

// Whether a step brought this event about.
export const caused = (type) => !BACKGROUND.test(type)

// An event hook that marks what it hears: the type and the keys of the payload. more(event) adds to it.
export const hear = (more = () => ({})) => async ({ event }) => {
  if (caused(event.type)) mark("event", { type: event.type, keys: keys(event.properties), ...more(event) })
}

// Marks `gone` each time the host has let go of an instance of this project, and `following` once it can be told. A dispose hook or an
// answer comes earlier than that: what is asked of the project in between, the old instance may still answer.
export function follow({ serverUrl, directory }) {
  const port = process.argv[process.argv.indexOf("--port") + 1] // what a host tells that gives its plugins no address
  followed ??= disposals(serverUrl ?? `http://127.0.0.1:${port}`, directory)
}

let followed = null

async function disposals(url, directory) {
  try {
    const { body } = await fetch(new URL("/global/event", url))
    let rest = ""
    let listening = false
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      if (!listening) {
        await (await fetch(new URL("/global/health", url))).text() // a host listens for its events only after it sent the first piece
        mark("following")
        listening = true
      }
      const lines = (rest + piece).split("\n")
      rest = lines.pop()
      for (const line of lines) if (line.includes('"server.instance.disposed"') && line.includes(JSON.stringify(directory))) mark("gone")
    }
  } catch {} // the host ended
}

// A second process of the same host: the executable this plugin runs in, with other arguments and environment. Its plugins
// see the name as their role; its data is its own, so that the two do not wait for each other's database.
// `kill: [signal, name of a mark of its]` ends it there. Gives {code, signal, output}, or throws when it takes too long.
export function host(name, args, { env = {}, cwd = project, kill = [], seconds = 150 } = {}) {
  const inherited = Object.entries(process.env).filter(([key]) => !/^OPENCODE(_PID|_PRINT_LOGS|_RUN_ID|_PROCESS_ROLE)?$/.test(key))
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), PWD: cwd, DRIFTWATCH_ROLE: name, ...own(name), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
  const marked = () => read().some((line) => line.role === name && line.mark === kill[1])
  const timer = kill[1] ? setInterval(() => marked() && child.kill(kill[0]), 50) : null
  let late = false
  const limit = setTimeout(() => (late = child.kill("SIGKILL")), seconds * 1000)
  return new Promise((done, failed) => {
    child.on("close", (code, signal) => {
      clearInterval(timer)
      clearTimeout(limit)
      if (late) failed(new Error(`the host ${name} took longer than ${seconds} s: ${output.slice(-300)}`))
      else done({ code, signal, output })
    })
  })
}

const own = (name) => {
  const place = `${project}/.driftwatch/hosts/${name}`
  return { XDG_DATA_HOME: `${place}/data`, XDG_STATE_HOME: `${place}/state` }
}

function read() {
  const lines = readFileSync(file, "utf-8").split("\n").filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

// The sorted keys of anything, also of class instances and proxies; [] where there are none.
export function keys(value) {
  try {
    return Object.keys(value ?? {}).sort()
  } catch {
    return []
  }
}

const KINDS = ["Array", "ArrayBuffer", "AsyncFunction", "AbortSignal", "Boolean", "Error", "Function", "Map", "Number", "Object", "Promise", "Set", "String", "URL"]

// What sort of thing a value is. Classes of the host's own have no name worth keeping: a build shortens them as it likes.
export function kind(value) {
  const name = value?.constructor?.name
  return KINDS.includes(name) ? name : typeof value
}

// A copy that JSON can carry: functions and symbols by their kind, cycles and depths cut.
export function plain(value, depth = 8, above = []) {
  if (value === undefined) return null
  if (typeof value === "function") return "[function]"
  if (typeof value === "bigint" || typeof value === "symbol") return `[${typeof value}]`
  if (value === null || typeof value !== "object") return value
  if (above.includes(value)) return "[cycle]"
  if (depth === 0) return "[deep]"
  if (Array.isArray(value)) return value.map((item) => plain(item, depth - 1, [...above, value]))
  if (value instanceof Error) return { error: value.name, message: value.message }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, depth - 1, [...above, value])]))
}
