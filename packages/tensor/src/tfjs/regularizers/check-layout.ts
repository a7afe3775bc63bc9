import { ValidationError } from "@tinkex/base";

/**
 * Refuses matrices of another layout than a datum's log-probabilities, `[K, N]` for `[N, K]`: as many numbers, each at the wrong
 * place. What has one dimension is taken in order.
 */
export function checkLayout(
  given: readonly number[] | undefined,
  wanted: readonly number[],
  { place, path }: { readonly place: string; readonly path: readonly (string | number)[] },
): void {
  if (given === undefined || given.length < 2 || wanted.length < 2) return;
  if (given.length === wanted.length && given.every((size, axis) => size === wanted[axis])) return;
  throw new ValidationError(
    `${place} has the shape [${given.join(", ")}], the datum's logprobs [${wanted.join(", ")}]`,
    { path },
  );
}
