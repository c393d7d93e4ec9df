// Placed beside every probed project as .driftwatch/mark.mjs: a plugin says what it saw with mark(name, data).
// One line of JSON a mark, appended in one write, so that any number of plugins and processes may mark at once.
import { appendFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("./marks.jsonl", import.meta.url))

export function mark(name, data = {}) {
  appendFileSync(file, JSON.stringify({ mark: name, ...plain(data) }) + "\n")
}

// The sorted keys of anything, also of class instances and proxies; [] where there are none.
export function keys(value) {
  try {
    return Object.keys(value ?? {}).sort()
  } catch {
    return []
  }
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
