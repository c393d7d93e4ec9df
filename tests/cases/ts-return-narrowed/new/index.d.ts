export interface Hooks {
  ask(): string;
}
