export interface Tool {
  name: string;
}
