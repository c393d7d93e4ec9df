import { missing } from "./missing.js"

// A switch that must handle every status, and one that only looks so.
import type { SessionStatus } from "@opencode-ai/sdk" //! sdk#SessionStatus

export const helper = (text: string) => `hello ${text}`
export const isBusy = (status: SessionStatus) => status.type === "busy" && missing //! sdk#SessionStatus.type
