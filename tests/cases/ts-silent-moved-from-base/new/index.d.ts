export interface Session {
  title: string;
  id: string;
}
