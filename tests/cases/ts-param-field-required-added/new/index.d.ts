export declare function create(options: { name: string; directory: string }): void;
