export interface Output {
  parts: string[];
}
