export interface Hooks {
  "chat.message"?: (input: { id: string }) => void;
}
