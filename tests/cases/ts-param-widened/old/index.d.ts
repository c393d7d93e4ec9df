export interface Hooks {
  event?: (input: string) => void;
}
