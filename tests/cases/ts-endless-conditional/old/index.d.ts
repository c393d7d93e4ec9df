type Plain<T> = T extends Function ? false : T extends object ? true : false;
export type PickDeep<T, Condition, Options extends { mode?: string } = {}> = {
  [K in keyof T]: Plain<T[K]> extends true ? PickDeep<T[K], Condition, Options> : T[K] extends Condition ? PickDeep<Exclude<T[K], null>, Condition, Options> : never;
};
export type Merge<A, B> = { [K in keyof A | keyof B]: K extends keyof A & keyof B ? Merge<A[K], B[K]> : K extends keyof A ? Merge<A[K], A[K]> : K extends keyof B ? Merge<B[K], B> : never };
export interface Hooks {
  a: string;
}
