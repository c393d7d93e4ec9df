// Loads another plugin as the host would and marks what happens to it: what it exports and registers, which hooks are called
// and throw, what it asks the host's client and the shell for, and which timers it leaves. What the plugin sees is the same.
import { AsyncLocalStorage } from "node:async_hooks"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { keys, mark } from "../../.driftwatch/mark.mjs"

const job = JSON.parse(readFileSync(new URL("../../.driftwatch/trace.json", import.meta.url), "utf8"))
const MOST = 400 // marks of one kind
const counts = {}

function note(name, data) {
  counts[name] = (counts[name] ?? 0) + 1
  if (counts[name] <= MOST) mark(name, data)
}

// --- timers that the plugin starts, told by where they are started from, and which of its instances started them: the host may
// load it again while the end of another one is still looked at

const timers = new Map()
const instance = new AsyncLocalStorage()
let instances = 0
const set = globalThis.setInterval
const later = globalThis.setTimeout
globalThis.setInterval = function (work, every, ...rest) {
  const timer = set.call(this, work, every, ...rest)
  if ((new Error().stack ?? "").includes(job.root)) timers.set(timer, { every: Number(every) || 0, of: instance.getStore() })
  return timer
}
for (const name of ["clearInterval", "clearTimeout"]) {
  const clear = globalThis[name]
  globalThis[name] = function (timer) {
    for (const known of timers.keys()) if (known === timer || String(+known) === String(+timer)) timers.delete(known)
    return clear.call(this, timer)
  }
}

// --- the module

function entry() {
  if (job.entry) return join(job.root, job.entry)
  const manifest = JSON.parse(readFileSync(join(job.root, "package.json"), "utf8"))
  const wanted = [manifest.exports?.["./server"], manifest.main, manifest.exports?.["."], manifest.exports, "index.js"]
  for (const one of wanted) {
    const path = typeof one === "string" ? one : (one?.import ?? one?.default)
    if (typeof path === "string") return join(job.root, path)
    if (typeof path?.default === "string") return join(job.root, path.default)
  }
}

function servers(module) {
  const one = module.default
  if (one && typeof one === "object" && ("id" in one || "server" in one)) {
    return typeof one.server === "function" ? [one.server] : []
  }
  const found = []
  for (const value of new Set(Object.values(module))) {
    const server = typeof value === "function" ? value : value?.server
    if (typeof server !== "function") return []
    found.push(server)
  }
  return found
}

function failure(error) {
  return { error: error?.name ?? typeof error, message: String(error?.message ?? error).slice(0, 600), of: String(error?.errors?.[0]?.message ?? "") }
}

// --- what it is given

function watched(target, path) {
  return new Proxy(target, {
    get(object, key) {
      const value = Reflect.get(object, key, object)
      if (typeof key === "symbol" || key.startsWith("_") || key === "constructor") return value
      if (typeof value === "function") {
        return (...given) => {
          note("client", { call: path + key })
          return value.apply(object, given)
        }
      }
      return value && typeof value === "object" && path.split(".").length < 4 ? watched(value, `${path}${key}.`) : value
    },
  })
}

function given(input) {
  const shell = input.$ && new Proxy(input.$, {
    apply(run, self, [texts, ...values]) {
      note("shell", { command: Array.isArray(texts) ? texts.join("…").slice(0, 200) : "" })
      return run.call(self, texts, ...values)
    },
  })
  const client = input.client && watched(input.client, "")
  return new Proxy(input, {
    get: (object, key) => (key === "client" ? client : key === "$" ? shell : Reflect.get(object, key, object)),
  })
}

// --- what it gives

function traced(name, hook, self, mine) {
  return (...given) => instance.run(mine, () => called(name, hook, self, given))
}

function called(name, hook, self, given) {
  note("call", { hook: name, keys: keys(given[0]), type: given[0]?.event?.type ?? null })
  try {
    const answer = hook.apply(self, given)
    return answer && typeof answer.then === "function" ? answer.then(undefined, (error) => threw(name, error)) : answer
  } catch (error) {
    return threw(name, error)
  }
}

function threw(name, error) {
  note("hook-threw", { hook: name, ...failure(error) })
  throw error
}

function hooks(all, mine) {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))]
  const merged = {}
  for (const name of names) {
    const having = all.filter((one) => one[name] !== undefined)
    if (having.every((one) => typeof one[name] === "function")) {
      const each = having.map((one) => traced(name, one[name], one, mine))
      merged[name] = each.length === 1 ? each[0] : async (...given) => {
        for (const one of each) await one(...given)
      }
    } else merged[name] = name === "tool" ? Object.assign({}, ...having.map((one) => one[name])) : having[0][name]
  }
  const dispose = merged.dispose
  merged.dispose = async (...rest) => {
    try {
      await dispose?.(...rest)
    } finally {
      mark("disposed", { own: Boolean(dispose) })
      const left = () => [...timers.values()].filter(({ of = mine }) => of === mine).map(({ every }) => every)
      later(() => mark("timers", { left: left().sort((a, b) => a - b) }), 300)
    }
  }
  return merged
}

export const DriftwatchTrace = (input) => {
  const mine = ++instances
  return instance.run(mine, () => load(input, mine))
}

async function load(input, mine) {
  mark("importing")
  let module
  try {
    module = await import(pathToFileURL(entry()).href)
  } catch (error) {
    mark("import-failed", failure(error))
    return {}
  }
  const start = servers(module)
  mark("imported", { exports: Object.keys(module).sort(), servers: start.length })
  const all = []
  for (const server of start) {
    mark("starting")
    try {
      const answer = await server(given(input), job.options)
      if (answer && typeof answer === "object") all.push(answer)
      mark("started", { hooks: keys(answer), tools: keys(answer?.tool), kind: answer === null ? "null" : typeof answer })
    } catch (error) {
      mark("init-threw", failure(error))
    }
  }
  return hooks(all, mine)
}
