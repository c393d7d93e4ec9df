// A V2 plugin of the kind @skillstate/opencode is. It keeps notes a session, and forgets them with the last cleanup.
const notes = new Map()

export default {
  id: "skillstate",
  setup: async (ctx) => {
    const parents = new Map()
    const stream = ctx.event.subscribe((event) => {
      if (event.type === "session.forked") parents.set(event.data.sessionID, event.data.parentID)
    })
    await ctx.tool.transform((draft) => {
      draft.add({
        name: "skillstate_read",
        description: "What this session has saved",
        jsonSchema: { type: "object", properties: {} },
        outputSchema: { type: "object", properties: { ok: { type: "boolean" } } },
        execute: async (_input, context) => ({ structured: { ok: notes.has(context.sessionID) }, content: [] }),
      })
    })
    await ctx.session.hook("context", (event) => {
      event.system.push({ type: "text", text: `notes: ${notes.size}, in ${ctx.location.project.canonical}` })
    })
    return () => stream?.close?.()
  },
}
