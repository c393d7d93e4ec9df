export type Hooks = {
  a: string;
};
