import type { Hooks, Plugin } from "@opencode-ai/plugin"

export const Tidy: Plugin = async () => {
  const end: NonNullable<Hooks["dispose"]> = async () => {}
  return { dispose: end }
}
