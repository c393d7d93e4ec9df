export interface Hooks {
  a: string;
}
