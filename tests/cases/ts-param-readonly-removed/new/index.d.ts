export interface Hooks {
  before?: (output: { args: string }) => void;
}
