import type { Client } from "./index"

export class Refresher {
  private own: Client
  constructor(client: Client) {
    this.own = client
  }

  async run() {
    await this.own.auth.set({ path: { id: "a" }, body: {} }) //! http:PUT /auth/{} sdk#OpencodeClient.auth sdk/dist/gen/sdk.gen#Auth.set
  }
}

export const refresh = (client: Client) => new Refresher(client).run()
