export interface Box<A = string> {
  a: A;
}
