import { createServer } from "node:http"
import { execFile } from "node:child_process"
import { keys, kind, mark } from "../../.driftwatch/mark.mjs"

const tried = async (work) => {
  try {
    return await work()
  } catch (error) {
    return `${error.name}: ${error.message}`.slice(0, 200)
  }
}

export const PluginInput = async (input, options) => {
  mark("init", {
    keys: keys(input),
    kinds: Object.fromEntries(keys(input).map((key) => [key, kind(input[key])])),
    project: keys(input.project),
    directory: input.directory,
    worktree: input.worktree ?? null,
    options: options ?? null,
    runtime: typeof Bun === "undefined" ? "node" : "bun",
    environment: keys(process.env).filter((key) => /^(OPENCODE|AGENT|BUN(?!_JSC_)|NODE)/.test(key)),
    workspace: keys(input.experimental_workspace),
    url: input.serverUrl ? String(input.serverUrl) : null,
  })
  return {
    config: async () => {
      mark("shell", { gives: await tried(async () => (await input.$`echo from-the-shell`.text()).trim()) })
      const place = `${input.directory}/.driftwatch/own.sock`.slice(0, 90)
      const server = createServer((request, response) => response.end("from-the-socket")).listen(place)
      await new Promise((done) => server.once("listening", done).once("error", done))
      mark("socket", { gives: await tried(async () => (await fetch("http://localhost/x", { unix: place })).text()) })
      server.close()
      mark("child", {
        gives: await tried(() => new Promise((done) => execFile("/bin/echo", ["from-the-child"], (error, out) => done(error ? String(error) : out.trim())))),
      })
      mark("done")
    },
  }
}
