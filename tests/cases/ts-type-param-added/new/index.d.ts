export interface Box<A, B> {
  a: A;
}
