export declare function read(): string | undefined;
