export interface Config {
  mode: "auto" | "manual";
}
