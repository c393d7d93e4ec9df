import { follow, keys, mark } from "../../.driftwatch/mark.mjs"

export const Auth = async (input) => {
  mark("init")
  follow(input)
  return {
    auth: {
      provider: "guarded",
      loader: async (getAuth, provider) => {
        const auth = await getAuth()
        mark("loader", { provider: keys(provider), auth: keys(auth), type: auth?.type ?? null })
        return { apiKey: "key-of-the-loader" }
      },
      methods: [
        {
          type: "api",
          label: "with a key",
          prompts: [{ type: "text", key: "where", message: "where", placeholder: "here" }],
          authorize: async (inputs) => {
            mark("api", { inputs: inputs ?? null })
            return { type: "success", key: "key-of-authorize" }
          },
        },
        {
          type: "oauth",
          label: "with a browser",
          prompts: [{ type: "text", key: "where", message: "where", placeholder: "here" }],
          authorize: async (inputs) => {
            mark("authorize", { inputs: inputs ?? null })
            return {
              url: "http://127.0.0.1:9/login",
              instructions: "log in",
              method: "code",
              callback: async (code) => {
                mark("callback", { code })
                return { type: "success", access: "access-of-the-callback", refresh: "refresh", expires: 4000000000000 }
              },
            }
          },
        },
      ],
    },
  }
}
