export declare function create(options: { name: string }): void;
