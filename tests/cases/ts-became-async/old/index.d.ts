export interface Client {
  close(): void;
}
