declare function tool(name: string, options?: tool.Options): tool.Tool;
declare namespace tool {
  interface Options {
    retries: number;
    label: string;
  }
  class Tool {
    constructor(name: string);
    run(input: string): Promise<string>;
  }
  type Level = "low" | "mid" | "high";
  const version: string;
}
export = tool;
