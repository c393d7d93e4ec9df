export interface Emitter<Events extends Record<string, unknown[]> = Record<string, unknown[]>> {
  on<Name extends keyof Events>(name: Name, listener: (...args: Events[Name]) => void): this;
  on(name: string, listener: (...args: unknown[]) => void): this;
  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): number;
}
export declare function read(path: string): Uint8Array;
export declare function read(path: string, options: { encoding?: string; signal?: AbortSignal }): string | Uint8Array;
export declare function make<T>(value: T): Emitter<{ value: [T] }>;
export declare function isText(value: unknown): value is string | number;
