export interface S {
  part: import("./part.js").Part<string>;
}
