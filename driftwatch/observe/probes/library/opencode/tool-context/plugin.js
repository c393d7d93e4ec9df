import { hear, keys, kind, mark } from "../../.driftwatch/mark.mjs"

export const ToolContext = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_text: {
        description: "gives a text",
        args: {},
        execute: async (args, context) => {
          mark("context", {
            arguments: args,
            context: keys(context),
            kinds: Object.fromEntries(keys(context).map((key) => [key, kind(context[key])])),
            directory: context.directory ?? null,
            worktree: context.worktree ?? null,
            agent: context.agent ?? null,
            aborted: context.abort?.aborted ?? null,
          })
          const told = context.metadata?.({ title: "set-while-running", metadata: { note: "noted-while-running" } })
          mark("metadata", { gives: kind(told) })
          mark("awaited", { gives: kind(await told) })
          return "text-of-the-tool"
        },
      },
      driftwatch_throw: {
        description: "throws",
        args: {},
        execute: async () => {
          throw new Error("thrown-by-the-tool")
        },
      },
      driftwatch_unknown_result: { description: "gives a number", args: {}, execute: async () => 7 },
    },
    event: hear((event) => ({ title: event.properties?.part?.state?.title ?? null })),
  }
}
