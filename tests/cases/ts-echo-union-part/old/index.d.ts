export type Small = "a" | "b";
export type Big = Small | "c";
