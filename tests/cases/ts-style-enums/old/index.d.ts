export declare enum Kind {
  Text = 0,
  Image = 1,
  Sound = 2,
}
export declare const enum Flag {
  None = 0,
  Bold = 1,
  Slant = 2,
}
export interface TextPart {
  kind: Kind.Text;
  text: string;
  flag: Flag;
}
export interface ImagePart {
  kind: Kind.Image;
  url: string;
}
export type Part = TextPart | ImagePart;
export declare const Names: { readonly text: "text"; readonly image: "image" };
export type Name = (typeof Names)[keyof typeof Names];
