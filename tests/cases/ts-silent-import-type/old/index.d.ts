import { Part } from "./part.js";
export interface S {
  part: Part<string>;
}
