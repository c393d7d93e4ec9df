type Tag = string;
type Meta = { [name: string]: number };
export interface Session {
  tags: Tag[];
  meta: Meta;
  part: Omit<{ a: string; b: number }, "b">;
}
export {};
