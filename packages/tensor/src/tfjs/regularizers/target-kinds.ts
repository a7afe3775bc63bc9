/** Tells whether targets of this shape, `[N, K]`, are several candidates a position. */
export function hasCandidates(shape: readonly number[]): boolean {
  return shape.length > 1;
}

/** Tells whether targets of this shape, `[N]`, are one token a position, taken as drawn from the model. */
export function isSampled(shape: readonly number[]): boolean {
  return !hasCandidates(shape);
}
