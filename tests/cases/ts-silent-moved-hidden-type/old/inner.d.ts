export interface Inner {
  a: string;
  next?: Inner;
}
