export declare class Client {
  #secret;
  private token;
  name: string;
}
