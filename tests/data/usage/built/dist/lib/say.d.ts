export declare const say: (client: any, message: string) => Promise<unknown>
