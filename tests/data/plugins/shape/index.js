export const name = "a plugin without a function"
