import type { Numbers, Value } from "./operation.js";
import { elementPlaces, stretchedView } from "./view.js";

/** The elements of a value in groups: those that differ in the dimensions `dims` only. */
export class ElementGroups {
  readonly data: Numbers;
  /** Group of each element. */
  readonly groupOf: Int32Array;
  readonly count: number;
  /** Elements of one group. */
  readonly size: number;

  constructor(input: Value, dims: readonly number[]) {
    const kept = input.shape.map((size, axis) => (dims.includes(axis) ? 1 : size));
    this.data = input.data;
    this.groupOf = elementPlaces(stretchedView(kept, input.shape));
    this.count = kept.reduce((product, size) => product * size, 1);
    this.size = dims.reduce((product, axis) => product * (input.shape[axis] ?? 1), 1);
  }

  /** Folds each group to one number, in doubles. */
  fold(start: number, step: (total: number, element: number, group: number) => number): Float64Array {
    const totals = new Float64Array(this.count).fill(start);
    for (let index = 0; index < this.groupOf.length; index += 1) {
      const group = this.groupOf[index] ?? 0;
      totals[group] = step(totals[group] ?? 0, this.data[index] ?? 0, group);
    }
    return totals;
  }

  /** Largest element of each group. */
  max(): Float64Array {
    return this.fold(Number.NEGATIVE_INFINITY, (total, element) => Math.max(total, element));
  }

  /** Smallest element of each group. */
  min(): Float64Array {
    return this.fold(Number.POSITIVE_INFINITY, (total, element) => Math.min(total, element));
  }

  sum(): Float64Array {
    return this.fold(0, (total, element) => total + element);
  }

  /** Logarithm of the sum of exponentials of each group, by way of its largest element so that nothing overflows. */
  logSumExp(): Float64Array {
    const tops = this.max().map((top) => (Number.isFinite(top) ? top : 0));
    const sums = this.fold(0, (total, element, group) => total + Math.exp(element - (tops[group] ?? 0)));
    return sums.map((sum, group) => Math.log(sum) + (tops[group] ?? 0));
  }
}
