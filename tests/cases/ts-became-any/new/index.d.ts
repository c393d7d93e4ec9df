export interface Model {
  limit: any;
}
