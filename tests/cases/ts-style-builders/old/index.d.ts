export interface Def<T> {
  value: T;
}
export declare abstract class Base<Out, D extends Def<any> = Def<any>, In = Out> {
  readonly def: D;
  parse(data: unknown): Out;
  optional(): Optional<this>;
  pipe<T extends Base<any>>(next: T): Pipe<this, T>;
}
export declare class Optional<T extends Base<any>> extends Base<T["def"] | undefined> {
  unwrap(): T;
}
export declare class Pipe<A extends Base<any>, B extends Base<any>> extends Base<B["def"]> {
  first: A;
  second: B;
}
export declare class Text extends Base<string> {
  min(length: number, message?: string): Text;
}
export declare function text(message?: string): Text;
