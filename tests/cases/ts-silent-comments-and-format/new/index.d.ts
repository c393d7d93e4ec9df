// Another comment.
export interface Hooks {

    /** about a */
    a:   string,
    b: number,
}
