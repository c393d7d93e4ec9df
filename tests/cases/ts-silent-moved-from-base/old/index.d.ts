interface Base<T> {
  id: T;
}
export interface Session extends Base<string> {
  title: string;
}
export {};
