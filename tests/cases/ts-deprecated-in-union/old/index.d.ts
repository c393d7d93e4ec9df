export type Answer = { url: string } & (
  | {
      method: "auto";
      callback(): Promise<({ type: "success"; provider?: string } & ({ refresh: string } | { key: string })) | { type: "failed" }>;
    }
  | { method: "code"; sent: Map<string, { at: number }> }
);
export type Mixed = { kind: "a"; one: string } | { kind: "b"; two: string };
