export interface Session {
  title: string;
  parent: { id: string };
}
