export declare function on(listener: (name: string, time: number) => void): void;
