import { describeValue, formatPath, ValidationError } from "@tinkex/base";

/** Forms in which the matrices of a model's linear layers are kept and multiplied. */
export const WEIGHT_FORMATS = ["float32", "int8", "int4"] as const;

export type WeightFormat = (typeof WEIGHT_FORMATS)[number];

/** Bits of a quantized number. */
export type WeightBits = 8 | 4;

/** Bits of a number; undefined where it is not quantized. */
export const BITS_OF_FORMAT: Readonly<Record<WeightFormat, WeightBits | undefined>> = {
  float32: undefined,
  int8: 8,
  int4: 4,
};

/** Numbers of a row that share a scale. */
export const BLOCK_SIZE = 32;

/** Counts the blocks of a row, of which the last may be filled up. */
export function blocksOf(columns: number): number {
  return Math.ceil(columns / BLOCK_SIZE);
}

/** @param path - of the option, e.g. `["models", 0, "weights"]` @throws ValidationError unless it is a known form, or left out */
export function checkWeightFormat(value: unknown, path: readonly (string | number)[]): void {
  if (value === undefined || WEIGHT_FORMATS.some((format) => format === value)) return;
  throw new ValidationError(
    `${formatPath(path)} must be one of ${WEIGHT_FORMATS.join(", ")}, got ${describeValue(value)}`,
    { path },
  );
}
