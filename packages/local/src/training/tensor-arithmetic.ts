import type { AdapterTensors } from "../adapter/adapter-tensors.js";

/** `target += addend`, in place. Both belong to adapters of one shape. */
export function addTensors(target: AdapterTensors, addend: AdapterTensors): void {
  if (target.length !== addend.length) {
    throw new RangeError(`cannot add the tensors of ${addend.length} modules to those of ${target.length}`);
  }
  const addends = arraysOf(addend);
  arraysOf(target).forEach((values, index) => {
    const others = addends[index];
    if (others?.length !== values.length) {
      throw new RangeError(`cannot add ${others?.length ?? 0} numbers to ${values.length}`);
    }
    for (let place = 0; place < values.length; place += 1) {
      values[place] = (values[place] ?? 0) + (others[place] ?? 0);
    }
  });
}

export function fillWithZeros(tensors: AdapterTensors): void {
  for (const values of arraysOf(tensors)) values.fill(0);
}

/** Square root of the sum of all squares, summed in double precision. */
export function globalNorm(tensors: AdapterTensors): number {
  let sum = 0;
  for (const values of arraysOf(tensors)) {
    // By index, as `for … of` takes several times as long for millions of numbers.
    for (let place = 0; place < values.length; place += 1) sum += (values[place] ?? 0) ** 2;
  }
  return Math.sqrt(sum);
}

function arraysOf(tensors: AdapterTensors): Float32Array[] {
  return tensors.flatMap(({ a, b }) => [a, b]);
}
