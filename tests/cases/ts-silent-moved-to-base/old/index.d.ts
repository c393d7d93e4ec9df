export interface Session {
  id: string;
  title: string;
}
