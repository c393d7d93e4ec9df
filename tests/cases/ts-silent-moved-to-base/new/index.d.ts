interface Base {
  id: string;
}
export interface Session extends Base {
  title: string;
}
export {};
