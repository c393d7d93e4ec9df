import { host, mark, role } from "../../.driftwatch/mark.mjs"
import { registry } from "../../registry.mjs"

const says = (what) =>
  `async (input, options) => { const { mark } = await import(process.env.DRIFTWATCH_MARK); mark("loaded", { what: ${JSON.stringify(what)}, options: options ?? null }); return {} }`
const object = (id, what) => `export default { id: "${id}", server: ${says(what)} }\n`

const PACKAGES = {
  "driftwatch-main": { main: "index.js", files: { "index.js": `export const Plugin = ${says("package with main")}\n` } },
  "driftwatch-server": {
    exports: { ".": "./index.js", "./server": "./server.js" },
    files: { "index.js": object("by-dot", "package with exports, ."), "server.js": object("by-server", "package with exports, ./server") },
  },
  "driftwatch-engines": { main: "index.js", engines: { opencode: ">=99.0.0" }, files: { "index.js": object("later", "package for a later host") } },
  "driftwatch-nested": {
    main: "index.js",
    dependencies: { "driftwatch-word": "^1.0.0" },
    files: { "index.js": `import "driftwatch-word"\n${object("nested", "package with a dependency")}` },
  },
  "driftwatch-word": { main: "index.js", files: { "index.js": "export default 1\n" } },
  "driftwatch-optioned": { main: "index.js", files: { "index.js": object("optioned", "package with options") } },
}

const run = ["run", "--model", "mock/m1", "hello"]

async function all(directory) {
  const served = await registry(PACKAGES)
  const shared = { DRIFTWATCH_MARK: `file://${directory}/.driftwatch/mark.mjs` }
  const listed = (plugin) => ({ ...shared, OPENCODE_CONFIG_CONTENT: JSON.stringify({ plugin }) })
  const packages = ["driftwatch-main", "driftwatch-server@1.0.0", "driftwatch-engines", "driftwatch-nested@latest", ["driftwatch-optioned", { colour: "blue" }]]
  const paths = [`file://${directory}/entries/url.js`, `${directory}/entries/absolute.js`, `${directory}/entries/folder`]
  const cwd = `${directory}/entries`
  await Promise.all([
    host("packages", run, { cwd, env: { ...listed(packages), npm_config_registry: served.url, XDG_CONFIG_HOME: `${directory}/global-one` } }),
    host("paths", run, { cwd, env: { ...listed(paths), XDG_CONFIG_HOME: `${directory}/global-two` } }),
  ])
  served.close()
  mark("done", { asked: [...new Set(served.asked)].filter((name) => name.startsWith("driftwatch")).sort() })
}

export const Elsewhere = async ({ directory }) => {
  mark("init")
  return {
    config: async () => {
      if (!role) all(directory).catch((error) => mark("failed", { error }))
    },
  }
}
