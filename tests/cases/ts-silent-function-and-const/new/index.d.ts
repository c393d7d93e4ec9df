export declare const send: (text: string) => void;
