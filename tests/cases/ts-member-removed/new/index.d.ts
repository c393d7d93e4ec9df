export interface Hooks {
  event?: (input: { name: string }) => void;
}
