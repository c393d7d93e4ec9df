export interface Box<In, Other = In> {
  a: In;
  map<Out>(f: (a: In) => Out): Box<Out, Other>;
}
