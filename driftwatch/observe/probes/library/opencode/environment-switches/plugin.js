import { host, keys, mark, role } from "../../.driftwatch/mark.mjs"

const run = (name) => ["run", "--model", "mock/m1", `asked-by-${name}\nmock:say answered-${name}`]

async function all() {
  const ended = await Promise.all([
    host("pure", run("pure"), { env: { OPENCODE_PURE: "1" } }),
    host("switched", run("switched"), { env: { OPENCODE_DISABLE_DEFAULT_PLUGINS: "", OPENCODE_EXPERIMENTAL_CODE_MODE: "1" } }),
  ])
  for (const [at, name] of ["pure", "switched"].entries()) mark("ended", { name, code: ended[at].code, said: ended[at].output.includes(`answered-${name}`) })
  mark("done")
}

export const Switches = async ({ client }) => {
  mark("init")
  const ways = async () => mark("ways", { providers: keys((await client.provider.auth()).data) })
  return {
    config: async () => {
      if (!role) all().catch((error) => mark("done", { error }))
    },
    "chat.message": ways,
  }
}
