export interface Session {
  tags: Array<string>;
  meta: Record<string, number>;
  part: Pick<{ a: string; b: number }, "a">;
}
