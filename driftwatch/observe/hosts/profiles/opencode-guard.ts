// Made by `driftwatch guard` from what this project relies on: make it again rather than change it.
//
// The host that loads a plugin may be older or newer than the one it was written for, and what is not there fails silently. This
// module looks, from inside, whether what the plugin relies on is there, and says so once, by a toast and in the host's log.
//
//     import { guard } from "./driftwatch-guard"
//     export const MyPlugin = async (input) => { guard(input); return { ... } }
//
// It needs nothing, never throws, keeps nobody waiting, and is silent when all is there. Keep it out of the host's plugin folders:
// every file there is loaded as a plugin.

const RELIED: Relied = /* driftwatch:relied */ {}

export interface Relied {
  /** The project, as toasts and log lines call it. */
  readonly name?: string
  /** The version of the upstream all of this was seen at. */
  readonly accepted?: string
  /** The lowest host version the project says it needs. */
  readonly floor?: string
  /** Members of what a plugin is handed, by dotted path; `()` at the end: it must be callable. */
  readonly input?: readonly string[]
  /** The same for the second plugin API's context. */
  readonly context?: readonly string[]
  /** `METHOD /path` with `{}` for parameters. */
  readonly operations?: readonly string[]
  readonly events?: readonly string[]
}

export interface GuardOptions {
  /** Milliseconds until the toast, so that a terminal that has just started is there to show it. */
  readonly delay?: number
  /** What to look for; the generated list when left out. */
  readonly relied?: Relied
  /** Called with everything that is missing, when the looking has ended. */
  readonly done?: (missing: readonly string[]) => void
}

/** Anything with members; those that are read by name are named. */
interface Loose {
  readonly [name: string]: unknown
  readonly version?: unknown
  readonly paths?: unknown
  readonly components?: unknown
  readonly schemas?: unknown
  readonly properties?: unknown
  readonly type?: unknown
  readonly const?: unknown
  readonly enum?: unknown
  readonly data?: unknown
  readonly error?: unknown
  readonly unref?: unknown
}
type Reach = { readonly found: boolean; readonly value?: unknown; readonly holder?: unknown }

/** Looks at what a plugin was handed. Gives what is missing and can be told at once; the rest is looked at later, in peace. */
export function guard(input: unknown, options: GuardOptions = {}): readonly string[] {
  try {
    const relied = options.relied ?? RELIED
    const missing = members(input, relied)
    later(() => void finish(input, relied, missing, options), options.delay ?? 3000)
    return missing
  } catch {
    return []
  }
}

/** A timer that keeps no process alive. */
function later(work: () => void, milliseconds: number): void {
  const timer: unknown = setTimeout(work, milliseconds)
  if (isObject(timer) && typeof timer.unref === "function") timer.unref()
}

function members(input: unknown, relied: Relied): string[] {
  const initial = isObject(input) && ["client", "project", "directory", "worktree", "serverUrl", "$"].some((key) => key in input)
  const paths = (initial ? relied.input : relied.context) ?? []
  return paths.filter((path) => !present(input, path)).map((path) => `${initial ? "input" : "context"}.${path}`)
}

function present(root: unknown, path: string): boolean {
  const callable = path.endsWith("()")
  const { found, value } = reach(root, callable ? path.slice(0, -2) : path)
  return found && (!callable || typeof value === "function")
}

function reach(root: unknown, path: string): Reach {
  let value: unknown = root
  let holder: unknown
  try {
    for (const name of path.split(".")) {
      if (!isObject(value) || !(name in value)) return { found: false }
      holder = value
      value = value[name]
    }
  } catch {
    return { found: true } // it is there, and does not want to be read now
  }
  return { found: true, value, holder }
}

function isObject(value: unknown): value is Loose {
  return (typeof value === "object" && value !== null) || typeof value === "function"
}

async function finish(input: unknown, relied: Relied, early: readonly string[], options: GuardOptions): Promise<void> {
  const missing = [...early]
  try {
    const version = await running(input)
    if (relied.floor && version && below(version, relied.floor)) missing.push(`host ${relied.floor} or newer (this is ${version})`)
    if (!version || version !== relied.accepted) missing.push(...(await documented(input, relied)))
    if (missing.length) await tell(input, relied, missing)
  } catch {
    // The plugin goes on as it would without us.
  }
  try {
    options.done?.(missing)
  } catch {
    // Theirs to mend.
  }
}

/** The version the host says it is; "" where it does not. */
async function running(input: unknown): Promise<string> {
  const health = await ask(input, "/global/health")
  return isObject(health) && typeof health.version === "string" ? health.version : ""
}

/**
 * The host describes its own API: which operations and events of ours are not in it. Silent where it does not. A host needs a
 * second of work to write it down, so one of the accepted version, where all is known to be there, is not asked.
 */
async function documented(input: unknown, relied: Relied): Promise<string[]> {
  if (!relied.operations?.length && !relied.events?.length) return []
  const document = await ask(input, "/doc")
  if (!isObject(document) || !isObject(document.paths)) return []
  const operations = new Set<string>()
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(isObject(methods) ? methods : {}))
      operations.add(`${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, "{}")}`)
  const events = names(document)
  return [
    ...(relied.operations ?? []).filter((operation) => !operations.has(operation)).map((operation) => `operation ${operation}`),
    ...(events.size ? (relied.events ?? []).filter((event) => !events.has(event)).map((event) => `event ${event}`) : []),
  ]
}

/** Every name a schema's `type` may have: what events are called is among them. */
function names(document: Loose): Set<string> {
  const found = new Set<string>()
  const components = isObject(document.components) ? document.components : {}
  for (const schema of Object.values(isObject(components.schemas) ? components.schemas : {})) {
    const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
    const type = isObject(properties.type) ? properties.type : {}
    if (typeof type.const === "string") found.add(type.const)
    for (const name of Array.isArray(type.enum) ? type.enum : []) if (typeof name === "string") found.add(name)
  }
  return found
}

/** A GET through the plugin's own client, which works also where the host does not listen on a port. */
async function ask(input: unknown, url: string): Promise<unknown> {
  const { found, value, holder } = reach(input, "client._client.get")
  if (!found || typeof value !== "function") return undefined
  try {
    const asked: unknown = value.call(holder, { url })
    const answer = await Promise.race([asked, new Promise((resolve) => later(() => resolve(undefined), 60_000))])
    return isObject(answer) ? answer.data : undefined
  } catch {
    return undefined
  }
}

/** Whether this is said for the first time in this process: some hosts start a project, and its plugins, more than once. */
function first(words: string): boolean {
  const key = Symbol.for("driftwatch-guard")
  const kept = globalThis as unknown as Record<symbol, Set<string> | undefined>
  const said = (kept[key] ??= new Set())
  if (said.has(words)) return false
  said.add(words)
  return true
}

async function tell(input: unknown, relied: Relied, missing: readonly string[]): Promise<void> {
  const name = relied.name ?? "plugin"
  const shown = missing.slice(0, 5).join(", ") + (missing.length > 5 ? ` and ${missing.length - 5} more` : "")
  const message = `This host lacks what ${name} relies on (checked against ${relied.accepted ?? "?"}): ${shown}`
  const toasted = await call(input, "client.tui.showToast", { body: { title: name, message, variant: "warning", duration: 10_000 } })
  const full = `${message.split(": ")[0]}: ${missing.join(", ")}`
  if (!first(`${String(reach(input, "directory").value)}\n${full}`)) return
  const logged = await call(input, "client.app.log", { body: { service: name, level: "warn", message: full } })
  if (!toasted && !logged) console.warn(`[${name}] ${full}`)
}

async function call(input: unknown, path: string, argument: unknown): Promise<boolean> {
  const { value, holder } = reach(input, path)
  if (typeof value !== "function") return false
  try {
    const answer: unknown = await value.call(holder, argument)
    return !(isObject(answer) && answer.error !== undefined && answer.error !== null)
  } catch {
    return false
  }
}

/** Whether a version is below another. A pre-release of the same version is. */
function below(version: string, floor: string): boolean {
  const parts = (text: string) => (text.match(/^v?(\d+)\.(\d+)\.(\d+)(-?)/) ?? []).slice(1)
  const [one, other] = [parts(version), parts(floor)]
  if (one.length < 3 || other.length < 3) return false
  for (const place of [0, 1, 2]) if (Number(one[place]) !== Number(other[place])) return Number(one[place]) < Number(other[place])
  return one[3] === "-" && other[3] !== "-"
}
