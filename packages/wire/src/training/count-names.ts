/**
 * The names in an object. Where there are as many as fields that are known and set, none is unknown: counting is what every
 * tensor of a batch can afford, `checkKnownNames` looks closer where the numbers differ.
 */
export function countNames(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** 1 for a field that is set, 0 for one that is not. */
export function countSet(field: unknown): number {
  return field === undefined ? 0 : 1;
}
