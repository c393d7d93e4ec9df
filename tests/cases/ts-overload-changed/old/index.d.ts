export declare function read(name: string): string;
export declare function read(id: number): string;
