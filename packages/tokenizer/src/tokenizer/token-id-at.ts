import { describeValue, ValidationError } from "@tinkex/base";

/**
 * Reads one id of a list that plain JavaScript may have filled with anything; bigints are what int64 tensors give.
 *
 * @param what - the list as the caller knows it, e.g. `decode: ids`
 * @throws ValidationError naming the place of what is no number
 */
export function tokenIdAt(ids: ArrayLike<unknown>, index: number, what: string): number {
  const id = ids[index];
  if (typeof id === "number") return id;
  if (typeof id === "bigint") return Number(id);
  throw new ValidationError(`${what}[${index}] must be a token id, got ${describeValue(id)}`, {
    path: ["ids", index],
  });
}
