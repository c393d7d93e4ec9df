export { Session, read } from "./inner/session.js";
