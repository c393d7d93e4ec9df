export declare function read(name: string): string;
