export interface Client {
  name: string;
}
