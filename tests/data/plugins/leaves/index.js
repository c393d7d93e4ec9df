import { spawn } from "node:child_process"
export const Broken = async () => {
  spawn("sleep", ["321"], { detached: true, stdio: "ignore" }).unref()
  setInterval(() => {}, 4321)
  return {}
}
