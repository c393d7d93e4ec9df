import { mark } from "../../.driftwatch/mark.mjs"

export const Order = async () => {
  mark("init", { file: "b-second" })
  return {
    "chat.message": async (input, output) => {
      const text = output.parts[0]?.text ?? ""
      mark("message", { file: "b-second", step: "begin" })
      if (text.includes("please throw") && "b-second" === "b-second") throw new Error("thrown by the second")
      await new Promise((done) => setTimeout(done, 20))
    },
    "experimental.chat.system.transform": async (input, output) => {
      mark("system", { file: "b-second", seen: output.system.filter((text) => text.startsWith("from-")).length })
      output.system.push("from-b-second")
    },
  }
}
