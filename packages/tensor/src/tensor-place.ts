import { formatPath, ValidationError } from "@tinkex/base";

/** Place of a tensor in the caller's argument, for messages. */
export interface TensorPlace {
  /** Key of `loss_fn_inputs`, e.g. `weights`. */
  readonly key?: string | undefined;
  /** Index of the datum in the batch. */
  readonly datumIndex?: number | undefined;
}

/** Makes an error whose message and `path` say which datum, key and element are meant; of `field`, where it is no element. */
export function tensorError(
  place: TensorPlace,
  problem: string,
  index?: number,
  field?: string,
): ValidationError {
  const path = [
    ...(place.datumIndex === undefined ? [] : ["data", place.datumIndex]),
    ...(place.key === undefined ? [] : ["loss_fn_inputs", place.key]),
    ...(field === undefined ? [] : [field]),
    ...(index === undefined ? [] : [index]),
  ];
  const where = formatPath(
    place.key === undefined && place.datumIndex === undefined ? ["tensor", ...path] : path,
  );
  return new ValidationError(`${where}: ${problem}`, { path });
}
