export declare class Client {
  name: string;
}
