export interface Session {
  title?: string | undefined;
}
