export const Broken = async () => ({
  "chat.message": async () => {
    throw new TypeError("message has no parts")
  },
})
