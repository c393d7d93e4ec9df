export interface Model {
  id?: string;
  [key: string]: string;
}
