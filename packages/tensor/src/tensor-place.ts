import { ValidationError } from "@tinkex/types";

/** Where a tensor stands in the caller's argument, for messages. */
export interface TensorPlace {
  /** Key of `loss_fn_inputs`, e.g. `weights`. */
  readonly key?: string | undefined;
  /** Index of the datum in the batch. */
  readonly datumIndex?: number | undefined;
}

/** An error whose message and `path` say which datum, key and element are meant. */
export function tensorError(place: TensorPlace, problem: string, index?: number): ValidationError {
  const words: string[] = [];
  const path: (string | number)[] = [];
  if (place.datumIndex !== undefined) {
    words.push(`datum ${place.datumIndex}`);
    path.push("data", place.datumIndex);
  }
  if (place.key !== undefined) {
    words.push(`loss_fn_inputs.${place.key}`);
    path.push("loss_fn_inputs", place.key);
  }
  if (index !== undefined) {
    words.push(`index ${index}`);
    path.push(index);
  }
  const where = words.length === 0 ? "tensor" : words.join(", ");
  return new ValidationError(`${where}: ${problem}`, { path });
}
