export interface Client {
  list(): Promise<string[]>;
}
