export declare function send(message: string, urgency?: number): void;
