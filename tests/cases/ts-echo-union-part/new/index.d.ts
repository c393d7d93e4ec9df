export type Small = "a" | "b" | "x";
export type Big = Small | "c";
