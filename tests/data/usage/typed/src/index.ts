import type { Hooks, Plugin, PluginInput } from "@opencode-ai/plugin" //! plugin#Hooks plugin#Plugin plugin#PluginInput
import { tool } from "@opencode-ai/plugin" //! plugin#tool
import type { Event } from "@opencode-ai/sdk" //! sdk#Event
import { gone } from "@opencode-ai/plugin/gone" //! plugin/gone#gone
import { helper } from "./helper.js"
import path from "node:path"

type OnEvent = NonNullable<Hooks["event"]> //! plugin#Hooks.event
type Idle = Extract<Event, { type: "session.idle" }> //! event:session.idle
type Lazy = import("@opencode-ai/plugin").ToolContext //! plugin#ToolContext

const LOUD = new Set(["session.error", "session.compacted"]) //! event:session.error event:session.compacted
const table: Record<string, () => void> = {
  "todo.updated": () => {}, //! event:todo.updated
}
const unrelated = { type: "not.an.event", sessionID: 1, directory: "x" }

export function describe(event: Event): string {
  switch (event.type) { //! sdk#Event sdk#Event.type
    case "session.status": //! event:session.status
      return event.properties.status.type //! sdk#EventSessionStatus.properties sdk#EventSessionStatus.properties.status sdk#SessionStatus.type event:session.status#properties event:session.status#properties.status
    case "session.idle": //! event:session.idle
      return event.properties.sessionID //! sdk#EventSessionIdle.properties sdk#EventSessionIdle.properties.sessionID event:session.idle#properties event:session.idle#properties.sessionID
    default:
      return unrelated.type + unrelated.directory
  }
}

class Notifier {
  constructor(private readonly input: PluginInput) {}
  async toast(message: string) {
    await this.input.client.tui.showToast({ //! plugin#PluginInput.client sdk#OpencodeClient.tui sdk/dist/gen/sdk.gen#Tui.showToast http:POST /tui/show-toast
      body: { message, variant: "info" }, //! sdk#TuiShowToastData.body sdk#TuiShowToastData.body.message sdk#TuiShowToastData.body.variant
    })
    await fetch(`${this.input.serverUrl}session/${message}/message?x=1`, { method: "POST" }) //! plugin#PluginInput.serverUrl http:POST /session/{}/message
    await fetch(new URL("/instance/dispose", this.input.serverUrl), { method: "POST" }) //! plugin#PluginInput.serverUrl http:POST /instance/dispose
    await fetch("https://example.com/v1/session")
  }
}

const environment = {
  "shell.env": async (input, output) => { //! plugin#Hooks["shell.env"]
    output.env.WHERE = input.cwd //! plugin#Hooks["shell.env"](1).env plugin#Hooks["shell.env"](0).cwd
  },
} satisfies Partial<Hooks>

export const Mine: Plugin = async (ctx) => {
  const { client, $: shell, directory } = ctx //! plugin#PluginInput.client plugin#PluginInput.$ plugin#PluginInput.directory
  const notifier = new Notifier(ctx)
  const onEvent: OnEvent = async ({ event }) => { //! plugin#Hooks.event(0).event
    if (event.type === "session.error" || LOUD.has(event.type)) await notifier.toast(describe(event)) //! sdk#Event.type event:session.error
    table[event.type]?.() //! sdk#Event.type
    if (event.type.startsWith("message.")) return //! sdk#Event.type event:message.**
    const { type, properties } = event //! sdk#Event.type sdk#Event.properties event:*#properties
    if (type === "permission.updated") console.log(properties) //! event:permission.updated
  }
  const hooks = {
    event: onEvent, //! plugin#Hooks.event
    ...environment,
    async "tool.execute.before"(input: any, output: any) { //! plugin#Hooks["tool.execute.before"]
      output.args.path = path.join(input.tool) //! plugin#Hooks["tool.execute.before"](1).args plugin#Hooks["tool.execute.before"](0).tool
    },
    "made.up": async () => {}, //! plugin#Hooks["made.up"]
    config: async (config: any) => { //! plugin#Hooks.config
      config.theme = "mine" //! sdk#Config.theme config:theme
      config.agent.build.prompt = "x" //! sdk#Config.agent sdk#Config.agent.build sdk#AgentConfig.prompt config:agent.build.prompt
    },
    tool: { //! plugin#Hooks.tool
      hello: tool({ //! plugin#Hooks.tool.hello
        description: "says hello", //! plugin#tool(0).description
        args: { name: tool.schema.string() }, //! plugin#tool(0).args plugin#tool.schema
        async execute(args, context) { //! plugin#tool(0).execute
          context.metadata({ title: args.name }) //! plugin#ToolContext.metadata plugin#ToolContext.metadata(0).title
          return helper(context.sessionID) //! plugin#ToolContext.sessionID
        },
      }),
    },
  }
  await client.session.promptAsync({ //! sdk#OpencodeClient.session sdk/dist/gen/sdk.gen#Session.promptAsync http:POST /session/{}/prompt_async
    path: { id: gone }, //! sdk#SessionPromptAsyncData.path sdk#SessionPromptAsyncData.path.id
    body: { //! sdk#SessionPromptAsyncData.body
      parts: [{ type: "text", text: directory }], //! sdk#SessionPromptAsyncData.body.parts sdk#TextPartInput.type sdk#TextPartInput.text
    },
  })
  return hooks
}

export default { id: "mine", server: Mine }
