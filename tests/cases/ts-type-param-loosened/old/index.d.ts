export interface Box<A extends string> {
  a: A;
}
