export interface Box<A, B = string> {
  a: A;
}
export interface Pair<A = string> {
  a: A;
}
