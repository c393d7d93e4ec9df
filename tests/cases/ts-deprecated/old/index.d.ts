export interface Hooks {
  a: string;
  b: string;
}
