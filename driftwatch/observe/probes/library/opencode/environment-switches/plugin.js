import { host, keys, mark, role } from "../../.driftwatch/mark.mjs"

const run = (name) => ["run", "--model", "mock/m1", `asked-by-${name}\nmock:say answered-${name}\nthanks`]

const SWITCHES = {
  pure: { OPENCODE_PURE: "1" },
  switched: { OPENCODE_DISABLE_DEFAULT_PLUGINS: "false", OPENCODE_EXPERIMENTAL_CODE_MODE: "1" },
}

async function all() {
  const ended = await Promise.all(Object.entries(SWITCHES).map(async ([name, env]) => ({ name, ...(await host(name, run(name), { env })) })))
  for (const { name, code, output } of ended)
    mark("ended", { name, code, said: output.includes(`answered-${name}`), last: code ? output.slice(-300) : null })
  mark("done")
}

export const Switches = async ({ client }) => {
  mark("init")
  const ways = async () => mark("ways", { providers: keys((await client.provider.auth()).data) })
  return {
    config: async () => {
      if (!role) all().catch((error) => mark("failed", { error }))
    },
    "chat.message": async () => {
      if (role) await ways()
    },
  }
}
