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
