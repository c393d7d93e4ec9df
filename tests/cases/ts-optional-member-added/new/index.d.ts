export interface Hooks {
  a: string;
  "tool.execute.before"?: (input: { tool: string }, output: { args: unknown }) => Promise<void>;
}
