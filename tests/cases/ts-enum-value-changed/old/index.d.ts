export declare enum Mode {
  Auto = 0,
  Manual = 1
}
