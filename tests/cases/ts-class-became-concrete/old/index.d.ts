export declare abstract class Client {
  name: string;
}
