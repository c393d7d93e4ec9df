export type Event =
  | { type: "a"; a: string }
  | { type: "b"; b: string }
  | { type: "c"; c: string };
