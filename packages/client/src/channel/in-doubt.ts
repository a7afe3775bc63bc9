import { TinkexError } from "@tinkex/base";

/**
 * Marks the failure of a request an earlier delivery of which may have arrived: the request may have been taken then, although
 * this failure alone would say that it surely was not.
 */
export function inDoubt(error: unknown): unknown {
  if (error instanceof TinkexError && "mayHaveArrived" in error) {
    Object.defineProperty(error, "mayHaveArrived", { value: true, enumerable: true });
  }
  return error;
}
