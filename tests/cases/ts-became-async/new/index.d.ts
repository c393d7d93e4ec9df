export interface Client {
  close(): Promise<void>;
}
