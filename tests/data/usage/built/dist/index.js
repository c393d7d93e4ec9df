import { say } from "./lib/say"
import { keep } from "./lib/keep.js"
export const Built = async ({ client }) => { //! plugin#PluginInput.client
  return {
    event: async () => say(client, "hello"), //! plugin#Hooks.event
    "chat.message": async ({ sessionID }) => keep(client, sessionID), //! plugin#Hooks["chat.message"] plugin#Hooks["chat.message"](0).sessionID
  }
}
