export interface Base {
  id: number;
}
export interface A extends Base {
  a: string;
}
export type B = Partial<Base>;
export type C = Omit<Base, "x"> & { c: string };
