import { Inner } from "./inner.js";
export interface Session {
  inner: Inner;
}
