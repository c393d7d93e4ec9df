export interface Session {
  title: string | null;
  parent: { id: string | number };
}
