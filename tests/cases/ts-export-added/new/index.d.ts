export interface Hooks { a: string }
export type Rule = string;
