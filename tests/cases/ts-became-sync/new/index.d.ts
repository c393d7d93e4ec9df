export interface Client {
  list(): string[];
}
