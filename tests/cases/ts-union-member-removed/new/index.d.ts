export type Event =
  | { type: "c"; c: string }
  | { type: "a"; a: string };
