export declare function read(): string;
