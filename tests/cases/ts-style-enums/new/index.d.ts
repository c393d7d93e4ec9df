export declare enum Kind {
  Text = 0,
  Image = 1,
  Sound = 3,
  Video = 4,
}
export declare const enum Flag {
  None = 0,
  Slant = 2,
}
export interface TextPart {
  kind: Kind.Text;
  text: string;
  flag: Flag;
}
export interface ImagePart {
  kind: Kind.Image;
  url: string | URL;
}
export type Part = TextPart | ImagePart;
export declare const Names: { readonly text: "text"; readonly image: "image"; readonly video: "video" };
export type Name = (typeof Names)[keyof typeof Names];
