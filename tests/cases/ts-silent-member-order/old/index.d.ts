export interface Hooks {
  a: string;
  b(): void;
}
