export type Status = null | "b" | "a";
export interface S {
  s?: number | Status | undefined;
}
