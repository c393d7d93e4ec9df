export interface Config {
  mode: string;
}
