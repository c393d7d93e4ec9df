import { hear, keys, mark } from "../../.driftwatch/mark.mjs"

const kind = (value) => value?.constructor?.name ?? typeof value

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
          await told
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
