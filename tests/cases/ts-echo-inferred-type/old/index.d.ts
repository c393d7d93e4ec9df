export declare function tool<Args extends Record<string, string>>(input: { args: Args }): {
  description: string;
  args: Args;
};
export type ToolDefinition = ReturnType<typeof tool>;
