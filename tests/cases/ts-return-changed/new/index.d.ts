export declare function read(): number;
