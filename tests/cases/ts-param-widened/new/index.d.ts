export interface Hooks {
  event?: (input: string | number) => void;
}
