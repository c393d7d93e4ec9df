export declare class Client {
  send(text: string, priority?: number): void;
}
