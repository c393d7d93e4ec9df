type Value = Json | string | List;
type List = Json[];
export interface Json {
  value: Value;
}
export {};
