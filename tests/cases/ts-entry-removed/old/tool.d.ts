export declare function tool(name: string): void;
