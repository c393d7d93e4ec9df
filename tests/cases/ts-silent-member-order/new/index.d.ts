export interface Hooks {
  b(): void;
  a: string;
}
