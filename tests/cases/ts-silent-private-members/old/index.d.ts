export declare class Client {
  private key;
  protected a: string;
  name: string;
}
