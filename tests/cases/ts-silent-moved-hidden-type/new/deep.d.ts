export interface Deep {
  next?: Deep;
  a: string;
}
