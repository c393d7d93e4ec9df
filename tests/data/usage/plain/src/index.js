// No types, no import: everything is carried from what the host hands over.
import { Watcher } from "./watcher.js"

const guarded = (run) => async (...all) => {
  try {
    return await run(...all)
  } catch {}
}

function isDone(event) {
  return event.type === "session.idle" //! sdk#Event.type event:session.idle
}

const actions = {
  "session.created": (event) => event.properties.info.id, //! event:session.created sdk#EventSessionCreated.properties sdk#EventSessionCreated.properties.info sdk#Session.id event:session.created#properties event:session.created#properties.info
}

async function tell(input, text) {
  const toast = input.client.tui //! plugin#PluginInput.client sdk#OpencodeClient.tui
  await toast.showToast({ body: { message: text } }) //! sdk/dist/gen/sdk.gen#Tui.showToast http:POST /tui/show-toast sdk#TuiShowToastData.body sdk#TuiShowToastData.body.message
}

export const plugin = async (ctx) => {
  const { project, client, ...rest } = ctx //! plugin#PluginInput.project plugin#PluginInput.client
  const watcher = new Watcher({ ctx, name: project.id }) //! sdk#Project.id
  const found = await client.session.messages({ path: { id: "x" } }) //! sdk#OpencodeClient.session sdk/dist/gen/sdk.gen#Session.messages http:GET /session/{}/message sdk#SessionMessagesData.path sdk#SessionMessagesData.path.id
  for (const message of found.data ?? []) { //! sdk/dist/gen/client/types.gen#RequestResult
    for (const part of message.parts) { //! sdk#SessionMessagesResponses["200"][].parts
      if (part.type !== "tool") continue //! sdk#Part.type
      console.log(part.callID, part.state.status === "running") //! sdk#ToolPart.callID sdk#ToolPart.state sdk#ToolStatePending.status sdk#ToolStateRunning.status sdk#ToolStateCompleted.status sdk#ToolStateError.status
    }
  }
  const hooks = {
    event: guarded(async ({ event }) => { //! plugin#Hooks.event plugin#Hooks.event(0).event
      if (isDone(event)) await tell(ctx, event.properties.sessionID) //! sdk#EventSessionIdle.properties sdk#EventSessionIdle.properties.sessionID event:session.idle#properties event:session.idle#properties.sessionID
      actions[event.type]?.(event) //! sdk#Event.type
      switch (event.type) { //! sdk#Event sdk#Event.type
        case "message.updated": //! event:message.updated
          return watcher.see(event.properties.info) //! sdk#EventMessageUpdated.properties sdk#EventMessageUpdated.properties.info event:message.updated#properties event:message.updated#properties.info
      }
    }),
    "chat.message": async (input, output) => { //! plugin#Hooks["chat.message"]
      if (input.agent) output.parts.push({ type: "text", text: rest.directory }) //! plugin#Hooks["chat.message"](0).agent plugin#Hooks["chat.message"](1).parts plugin#PluginInput.directory sdk#TextPart.type sdk#TextPart.text
    },
  }
  hooks["permission.ask"] = async (input) => input.id //! plugin#Hooks["permission.ask"] sdk#Permission.id
  if (project.vcs) hooks["no.such.hook"] = async () => {} //! sdk#Project.vcs plugin#Hooks["no.such.hook"]
  const { data } = await client._client.get({ url: "/global/health" }) //! sdk/dist/gen/sdk.gen#_HeyApiClient._client sdk/dist/gen/core/types.gen#Client.get http:GET /global/health
  return { ...hooks, ...watcher.hooks(data) }
}

export default plugin
