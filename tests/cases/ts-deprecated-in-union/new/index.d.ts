export type Answer = { url: string } & (
  | {
      method: "auto";
      callback(): Promise<
        | ({ type: "success"; provider?: string } & (
            | {
                /** @deprecated use key */
                refresh: string;
              }
            | { key: string }
          ))
        | { type: "failed" }
      >;
    }
  | {
      method: "code";
      sent: Map<
        string,
        {
          /** @deprecated */
          at: number;
        }
      >;
    }
);
export type Mixed =
  | {
      kind: "a";
      /** @deprecated */
      one: string;
    }
  | { kind: "b"; two: number };
