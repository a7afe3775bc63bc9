import { type TensorData, ValidationError } from "@tinkex/types/base";

/**
 * The values of a tensor as plain numbers, in row-major order; the stored ones for a sparse tensor.
 *
 * @throws ValidationError for an int64 value beyond ±2^53, which a number cannot hold exactly
 */
export function toNumbers(tensor: TensorData): number[] {
  const { data } = tensor;
  if (!(data instanceof BigInt64Array)) return Array.from(data);
  return Array.from(data, (value, index) => {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw new ValidationError(
        `tensor[${index}]: ${value} is beyond 2^53; read the tensor's BigInt64Array instead`,
        {
          path: ["data", index],
        },
      );
    }
    return number;
  });
}
