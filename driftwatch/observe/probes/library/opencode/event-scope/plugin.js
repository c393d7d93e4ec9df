import { mark } from "../../.driftwatch/mark.mjs"

const title = (event) => event?.properties?.info?.title ?? null

async function follow(name, work, read) {
  try {
    const { stream } = await work()
    mark("following", { name })
    for await (const event of stream) {
      const { directory, type, about } = read(event)
      if (type === "server.connected") mark("streamed", { name, type, directory, about })
      if (type === "session.created" && about?.startsWith("in the")) mark("streamed", { name, type, directory, about }) // not of other probes
    }
  } catch (error) {
    mark("failed", { name, error: error.name })
  }
}

export const EventScope = async ({ client, directory }) => {
  const here = directory.split("/").pop() === "other" ? "other" : "project"
  mark("init", { here })
  if (here === "other") mark("other")
  return {
    config: async () => {
      if (here !== "project") return
      follow("event", () => client.event.subscribe(), (event) => ({ directory: null, type: event.type, about: title(event) }))
      if (client.global?.event)
        follow("global", () => client.global.event(), (event) => ({
          directory: event.directory?.split("/").pop() === "other" ? "other" : event.directory ? "project" : null,
          type: event.payload?.type ?? event.type,
          about: title(event.payload),
        }))
    },
    event: async ({ event }) => {
      if (event.type === "session.created") mark("heard", { here, about: title(event) })
      if (/^(server|global|installation|worktree|workspace)\./.test(event.type)) mark("wide", { here, type: event.type })
    },
  }
}
