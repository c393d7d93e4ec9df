export type Result<T, Throw extends boolean = false> = Throw extends true ? T : { data: T; error: undefined } | { data: undefined; error: Failure };
export type Failure = { name: "NotFound"; data: { id: string } } | { name: "Refused"; data: { message?: string } };
export type Session = { id: string; title: string; parent: Session | null; tags: Array<string> };
export type Patch = Partial<Omit<Session, "id" | "parent">>;
export declare class Client {
  get session(): Sessions;
  on(event: "open" | "close" | "idle", listener: (session: Readonly<Session>) => void): () => void;
}
export declare class Sessions {
  get<Throw extends boolean = false>(options: { id: string; query?: { directory?: string; limit?: number } }): Promise<Result<Session, Throw>>;
  update<Throw extends boolean = false>(options: { id: string; body: Patch }): Promise<Result<Session, Throw>>;
}
