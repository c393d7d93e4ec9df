export interface Box<A> {
  a: A;
}
