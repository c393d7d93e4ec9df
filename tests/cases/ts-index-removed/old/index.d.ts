export interface Options {
  a: string;
  [key: string]: string;
}
