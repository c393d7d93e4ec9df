export interface Request { id: string; limit: number; sort?: "up" | "down"; }
export interface Answer { id: string; next: string; }
export interface Both { id: string; mark: string; }
export type Send = (what: Request) => Promise<Answer>;
export declare function send(what: Request, keep: Both): Promise<Answer>;
export declare function kept(): Box<Both>;
export interface Box<T> { readonly value: T; }
export declare function on(listener: (seen: Seen) => void): void;
export interface Seen { at: number; by: string; }

export interface Happened { type: string; detail: string; }
export interface Reply { status: number; body: string; }
export interface Draft { text: string; tone: string; }
export interface Hooks {
  event?(input: { event: Happened }): Promise<void>;
  reply?(input: { event: Happened }, draft: Draft): Promise<Reply>;
}
