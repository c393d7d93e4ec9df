export declare function read(name: unknown): number;
export declare function read(name: string): string;
