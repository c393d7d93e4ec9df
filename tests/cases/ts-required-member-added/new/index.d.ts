export interface Tool {
  name: string;
  title?: string;
  run(): void;
}
