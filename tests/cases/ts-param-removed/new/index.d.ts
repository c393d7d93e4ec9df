export declare function send(text: string): void;
