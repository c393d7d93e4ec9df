export declare function create(): Client;
export interface Client {
  a: string;
}
export interface Input {
  client: ReturnType<typeof create>;
}
