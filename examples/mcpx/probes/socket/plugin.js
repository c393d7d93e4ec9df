import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mark } from "../../.driftwatch/mark.mjs"

const attempt = async (work) => {
  try {
    return await work()
  } catch (error) {
    return `${error.name}: ${error.message}`.slice(0, 80)
  }
}

export const Socket = async ({ $ }) => {
  mark("init")
  const unix = join(mkdtempSync(join(tmpdir(), "s-")), "d.sock")
  const server = createServer((_request, response) => response.end("hello over a socket"))
  await new Promise((done) => server.listen(unix, done))
  const fetched = await attempt(async () => (await fetch("http://localhost/", { unix })).text())
  const spawned = await attempt(() => execFileSync("/bin/sh", ["-c", "printf 'hello from a child'"]).toString())
  server.close()
  mark("tried", { fetched, spawned, shell: typeof $, runtime: typeof Bun })
  return {}
}
