export interface Part<T> {
  value: T;
}
