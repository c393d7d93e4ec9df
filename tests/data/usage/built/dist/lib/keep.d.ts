export declare function keep(client: any, id: string): Promise<void>
