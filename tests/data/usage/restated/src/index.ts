// A plugin that writes down itself what it takes from the host, and does not import its types.
import { refresh } from "./refresh"

export interface Client {
  auth: { set(input: { path: { id: string }; body: unknown }): Promise<unknown> }
  session: { get(input: { path: { id: string } }): Promise<unknown> }
}

interface Context {
  client: Client
  directory: string
}

export const Restated = async ({ client, directory }: Context): Promise<Record<string, unknown>> => { //! plugin#PluginInput.client plugin#PluginInput.directory
  const kept: Client = client
  return {
    "chat.message": async () => kept.session.get({ path: { id: directory } }), //! http:GET /session/{} plugin#Hooks["chat.message"] sdk#OpencodeClient.session sdk/dist/gen/sdk.gen#Session.get
    event: async () => refresh(client), //! plugin#Hooks.event
  }
}
