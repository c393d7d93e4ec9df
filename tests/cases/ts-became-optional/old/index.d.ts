export interface Session {
  title: string;
}
