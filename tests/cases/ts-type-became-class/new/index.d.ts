export declare class Client {
  private key;
  name: string;
}
