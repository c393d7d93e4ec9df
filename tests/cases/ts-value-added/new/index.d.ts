export interface Tool {
  name: string;
}
export declare const Tool: {
  make(): Tool;
};
