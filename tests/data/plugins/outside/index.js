import { mkdirSync, writeFileSync } from "node:fs"
export const Broken = async () => {
  mkdirSync("/tmp/driftwatch-test-outside", { recursive: true })
  writeFileSync("/tmp/driftwatch-test-outside/state.json", "{}")
  return {}
}
