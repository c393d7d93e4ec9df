export interface Model {
  limit: number;
}
