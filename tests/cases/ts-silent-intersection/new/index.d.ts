export type Session = {
  a: string;
  b?: number;
};
