import * as z from "./v3.js";
export { z };
export declare const brand: unique symbol;
export declare enum Kind { text = "text", list = "list" }
export interface Type<Output> {
  kind: Kind;
  optional(): Optional<Type<Output>>;
  array(): List<Type<Output>>;
  refine<T extends Output>(check: (value: Output) => value is T): Type<T>;
}
export interface Optional<Inner> { kind: Kind.text; [brand]: true; inner: Inner; unwrap(): Type<Inner>; }
export interface List<Inner> { kind: Kind.list; items: Inner; nested(): List<List<Inner>>; }
