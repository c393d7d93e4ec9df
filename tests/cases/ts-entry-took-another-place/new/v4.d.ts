export interface Type<Output> { other: Output; }
