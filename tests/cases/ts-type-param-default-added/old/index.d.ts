export interface Box<A> {
  a: A;
}
export interface Pair<A> {
  a: A;
}
