export interface Hooks {
  before?: (output: { readonly args: string }) => void;
}
