export type Status = "idle" | "busy";
export interface Session {
  status: Status;
}
