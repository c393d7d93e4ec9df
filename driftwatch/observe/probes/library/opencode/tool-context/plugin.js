import { keys, mark } from "../../.driftwatch/mark.mjs"

const seen = (args, context) =>
  mark("context", {
    arguments: keys(args),
    context: keys(context),
    kinds: Object.fromEntries(keys(context).map((key) => [key, context[key]?.constructor?.name ?? typeof context[key]])),
  })

export const ToolContext = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_text: {
        description: "gives a text",
        args: {},
        execute: async (args, context) => {
          seen(args, context)
          context.metadata?.({ title: "set-while-running", metadata: { note: "set-while-running" } })
          return "text-of-the-tool"
        },
      },
      driftwatch_object: {
        description: "gives an object",
        args: {},
        execute: async () => ({
          output: "output-of-the-object",
          title: "title-of-the-object",
          metadata: { note: "metadata-of-the-object" },
          attachments: [{ type: "file", mime: "text/x-driftwatch", url: "data:text/x-driftwatch;base64,eA==" }],
        }),
      },
      driftwatch_throw: {
        description: "throws",
        args: {},
        execute: async () => {
          throw new Error("thrown-by-the-tool")
        },
      },
    },
  }
}
