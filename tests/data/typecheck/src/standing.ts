export const wrong: number = "this is wrong with every version"
