export interface Hooks {
  "chat.message"?: (input: { id: string; agent?: string }) => void;
}
