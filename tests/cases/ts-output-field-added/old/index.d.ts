export interface Hooks {
  "tool.execute.before"?: (input: { tool: string }, output: { args: unknown }) => Promise<void>;
}
