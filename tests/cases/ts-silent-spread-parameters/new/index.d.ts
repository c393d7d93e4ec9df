export declare function on(...args: [name: string, value?: number]): void;
