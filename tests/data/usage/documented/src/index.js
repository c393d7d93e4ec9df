// JavaScript whose comments say the types.
/** @type {import("@opencode-ai/plugin").Plugin} */ //! plugin#Plugin
export const Documented = async ({ client, directory }) => { //! plugin#PluginInput.client plugin#PluginInput.directory
  return {
    "tool.execute.after": async (input, output) => { //! plugin#Hooks["tool.execute.after"]
      output.title = input.callID + directory //! plugin#Hooks["tool.execute.after"](1).title plugin#Hooks["tool.execute.after"](0).callID
      await client.session.list() //! sdk#OpencodeClient.session sdk/dist/gen/sdk.gen#Session.list http:GET /session
    },
  }
}
