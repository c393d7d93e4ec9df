export interface Session {
  title: string;
}
export type Event = {
  type: "updated";
  session: Session;
};
export interface Hooks {
  event?: (input: { event: Event }) => void;
}
export declare function get(): Session;
export declare function put(session: Session): void;
