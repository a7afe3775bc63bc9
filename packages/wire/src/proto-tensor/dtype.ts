/** Numbers of the schema's `DType`. Requests use the first two; results may use all four. */
export const protoDtype = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;
