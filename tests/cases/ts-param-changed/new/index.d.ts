export declare function send(text: number): void;
