export interface Hooks {
  ask(): string | undefined;
}
