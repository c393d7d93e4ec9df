export const say = (client, message) =>
  client.tui.showToast({ body: { message, variant: "info" } }) //! http:POST /tui/show-toast sdk#OpencodeClient.tui sdk#TuiShowToastData.body sdk#TuiShowToastData.body.message sdk#TuiShowToastData.body.variant sdk/dist/gen/sdk.gen#Tui.showToast
