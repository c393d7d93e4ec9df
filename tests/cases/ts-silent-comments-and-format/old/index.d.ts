/** One. */
export interface Hooks { a: string; b: number }
