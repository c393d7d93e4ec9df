import { mark } from "../../.driftwatch/mark.mjs"

const FILE = { type: "file", mime: "text/plain", url: "data:text/plain;base64,aGVsbG8=", filename: "a.txt" }

export const ToolResult = async () => {
  mark("init")
  return {
    tool: {
      driftwatch_object: {
        description: "gives an object",
        args: {},
        execute: async () => ({
          output: "output-of-the-object",
          title: "title-of-the-object",
          metadata: { note: "metadata-of-the-object" },
          attachments: [FILE],
        }),
      },
    },
    "tool.execute.after": async (input, output) => mark("after", { output: Object.keys(output ?? {}).sort(), title: output?.title ?? null }),
  }
}
