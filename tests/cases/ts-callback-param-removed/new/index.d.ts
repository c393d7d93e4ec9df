export declare function on(listener: (name: string) => void): void;
