export interface Hooks {
  dispose?: () => Promise<void>;
  event?: (input: { name: string }) => void;
}
