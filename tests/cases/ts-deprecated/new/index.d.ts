export interface Hooks {
  /**
   * The first.
   * @deprecated use b instead
   */
  a: string;
  b: string;
}
