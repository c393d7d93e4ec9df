export declare class Client {
  send(text: string): void;
}
