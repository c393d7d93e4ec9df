export interface Session {
  id: string;
}
export declare function read(): Session;
