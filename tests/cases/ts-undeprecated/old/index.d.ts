export interface Hooks {
  /** @deprecated use b instead */
  a: string;
  b: string;
}
