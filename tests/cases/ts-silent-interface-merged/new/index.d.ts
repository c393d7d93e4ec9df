export interface Hooks {
  a: string;
}
export interface Hooks {
  b: string;
}
