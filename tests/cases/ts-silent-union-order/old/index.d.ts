export type Status = "a" | "b" | null;
export interface S {
  s?: Status | number;
}
