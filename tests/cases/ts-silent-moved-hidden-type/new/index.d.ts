import { Deep } from "./deep.js";
export interface Session {
  inner: Deep;
}
