interface OldList<T> {
  deeper(): OldList<[T, T]>;
  wider(): OldList<{ inside: T }>;
  held: T;
  name: string;
}
export interface Root {
  list: OldList<string>;
}
export {};
