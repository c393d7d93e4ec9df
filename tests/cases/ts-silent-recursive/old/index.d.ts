export interface Json {
  value: string | Json | Json[];
}
