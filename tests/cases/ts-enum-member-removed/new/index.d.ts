export declare enum Mode {
  Auto = "auto"
}
