export class Watcher {
  constructor({ ctx, name }) {
    this.ctx = ctx
    this.name = name
    this.session = ctx.client.session //! plugin#PluginInput.client sdk#OpencodeClient.session
  }

  async see(message) {
    if (message.role === "assistant") await this.session.abort({ path: { id: message.sessionID } }) //! sdk#AssistantMessage.role sdk#UserMessage.role sdk/dist/gen/sdk.gen#Session.abort http:POST /session/{}/abort sdk#SessionAbortData.path sdk#SessionAbortData.path.id sdk#AssistantMessage.sessionID
    return this.ctx.worktree //! plugin#PluginInput.worktree
  }

  hooks() {
    return {
      "shell.env": async (input, output) => { //! plugin#Hooks["shell.env"]
        output.env = { NAME: this.name, CWD: input.cwd } //! plugin#Hooks["shell.env"](1).env plugin#Hooks["shell.env"](0).cwd
      },
    }
  }
}

export const plugin = async () => ({
  event: async ({ event }) => { //! plugin#Hooks.event plugin#Hooks.event(0).event
    const props = event.properties //! sdk#Event.properties event:*#properties
    if (event.type === "session.error") return props.error //! sdk#Event.type event:session.error sdk#EventSessionError.properties.error event:session.error#properties.error
    if (event.type === "session.updated" || event.type === "session.deleted") return props.info.title //! sdk#Event.type event:session.updated event:session.deleted sdk#EventSessionUpdated.properties.info sdk#EventSessionDeleted.properties.info sdk#Session.title event:session.updated#properties.info event:session.deleted#properties.info
  },
})
