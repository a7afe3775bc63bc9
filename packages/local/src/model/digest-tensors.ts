import { createHash } from "node:crypto";
import type { ModelTensors } from "./model-tensors.js";

/**
 * Digests the numbers of tensors, in the order of their names, as float32. Dates, names, links and modes of the files that they lie in do
 * not count, nor does their type there: the same numbers are the same weights.
 *
 * @param seen - is given each piece before it is counted, with the name of its tensor
 */
export function digestTensors(
  tensors: Pick<ModelTensors, "pieces">,
  names: Iterable<string>,
  seen: (numbers: Float32Array, name: string) => void = () => {},
): string {
  const hash = createHash("sha256");
  for (const name of names) {
    for (const numbers of tensors.pieces(name)) {
      seen(numbers, name);
      hash.update(numbers);
    }
  }
  return hash.digest("hex");
}
