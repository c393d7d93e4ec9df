export * from "./v3.js";
