export async function keep(client, id) {
  await client.session.get({ path: { id } }) //! http:GET /session/{} sdk#OpencodeClient.session sdk#SessionGetData.path sdk#SessionGetData.path.id sdk/dist/gen/sdk.gen#Session.get
}
