export interface Box<A, B = A> {
  a: A;
  map<C>(f: (a: A) => C): Box<C, B>;
}
