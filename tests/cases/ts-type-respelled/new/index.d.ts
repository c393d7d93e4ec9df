export interface Model {
  [key: string]: string;
}
