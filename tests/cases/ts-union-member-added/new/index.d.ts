export type Status = "retry" | "busy" | "idle";
export interface Session {
  status: Status;
}
