import { TensorData } from "@tinkex/tensor";

export interface Input {
  readonly values: readonly number[];
  readonly shape: readonly number[];
}

/** Casts an array of doubles, as a program that computed them has it. */
export function run({ values, shape }: Input) {
  const { data, dtype, shape: castShape } = TensorData.from(Float64Array.from(values), { shape: [...shape] });
  return { data: Array.from(data, Number), dtype, shape: castShape };
}
