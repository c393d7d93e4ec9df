export declare enum Mode {
  Auto = "auto",
  Manual = "manual"
}
