export declare function on(name: string, value?: number): void;
