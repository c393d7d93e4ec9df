export declare function send(text: string | number): void;
