export interface Body {
  target: string;
}
