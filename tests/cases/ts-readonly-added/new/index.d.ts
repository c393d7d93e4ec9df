export interface Output {
  readonly parts: string[];
}
