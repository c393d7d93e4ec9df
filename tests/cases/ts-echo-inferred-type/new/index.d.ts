export declare function tool<Args extends Record<string, string>>(input: { args: Args }): {
  description: string;
};
export type ToolDefinition = ReturnType<typeof tool>;
