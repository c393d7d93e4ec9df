export declare const Built: any
