export interface Model {
  limit: {
    context: number;
  };
}
