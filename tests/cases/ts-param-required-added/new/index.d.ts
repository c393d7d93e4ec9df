export declare function send(text: string, priority: number): void;
