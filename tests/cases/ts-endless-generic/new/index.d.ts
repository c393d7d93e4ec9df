interface NewList<T> {
  deeper(): NewList<[T, T]>;
  wider(): NewList<{ inside: T }>;
  held: T;
  name: number;
}
export interface Root {
  list: NewList<string>;
}
export {};
