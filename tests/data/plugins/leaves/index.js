import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
export const Broken = async () => {
  spawn("sleep", ["321"], { detached: true, stdio: "ignore" }).unref()
  setInterval(() => {}, 4321)
  mkdirSync("/tmp/driftwatch-test-outside", { recursive: true })
  writeFileSync("/tmp/driftwatch-test-outside/state.json", "{}")
  return {}
}
