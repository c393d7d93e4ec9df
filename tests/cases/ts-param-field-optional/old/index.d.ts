export interface Hooks {
  ask?: (input: { id: string }) => void;
}
