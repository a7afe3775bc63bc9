import { checkKnownNames, describeValue } from "@tinkex/base";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** Options of filling the elements that a sparse tensor does not list. */
export interface PadOptions extends TensorPlace {
  /** An integer of 32 bits: 0, or -1 where 0 is a token id. @defaultValue 0 */
  readonly padValue?: number | undefined;
}

/** @throws ValidationError for anything but an integer of 32 bits, and for a misspelt option, which would mean 0 */
export function padValueOf(options: PadOptions): number {
  checkKnownNames(options, { padValue: true, key: true, datumIndex: true }, "options");
  const { padValue = 0 } = options;
  const pad = padValue | 0;
  // Equal for integers of 32 bits alone, and -0 becomes 0.
  if (pad === padValue) return pad;
  throw tensorError(options, `padValue must be an integer of 32 bits, got ${describeValue(padValue)}`);
}
