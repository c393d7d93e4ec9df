export interface Options {
  a: string;
}
