export type Pair<T> = { left: T; right: T };
export type Deep = { tree: Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<{ leaf: string }>>>>>>>>>>>>> };
