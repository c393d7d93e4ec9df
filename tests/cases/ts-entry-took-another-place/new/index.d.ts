export * from "./v4.js";
