import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import { elementCount } from "@tinkex/base";
import type { Datum } from "@tinkex/types";
import { tf } from "./tf.js";

/**
 * The log-probabilities of a batch in the two ways a loss may use them: one tensor a datum, made when it is first asked for, and
 * all in one row. They are independent inputs to tfjs, whose gradients are added afterwards: cutting a row into a hundred
 * tensors and joining them again, there and back, would cost more than most losses.
 */
export interface LossInputs {
  readonly logprobs: readonly Tensor[];
  readonly joined: Tensor1D;
  /** The shape of each datum's log-probabilities, without asking for its tensor. */
  readonly shapes: readonly (readonly number[])[];
  /** Variables of the derivative: the row, and each tensor that was asked for so far. */
  readonly leaves: Tensor[];
  /** Finds, among results for each of the leaves, those of the row and of a datum's tensor. */
  resultsOf<Result>(results: readonly Result[]): {
    readonly joined: Result | undefined;
    readonly datum: (index: number) => Result | undefined;
  };
}

/**
 * Makes the inputs of a loss. The leaves are the caller's to dispose of; no `tf.tidy` does, as a loss may first ask for one
 * within any.
 */
export function lossInputs(data: readonly Datum[], logprobs: readonly Float32Array[]): LossInputs {
  const joined = tf.keep(tf.tensor1d(joinRows(logprobs), "float32"));
  const leaves: Tensor[] = [joined];
  const leafOfDatum = new Map<number, number>();
  const make = (index: number): Tensor => {
    const values = logprobs[index] ?? new Float32Array(0);
    const tensor = tf.keep(tf.tensor(values, shapeOf(data[index], values.length), "float32"));
    leafOfDatum.set(index, leaves.push(tensor) - 1);
    return tensor;
  };
  return {
    logprobs: lazyList(logprobs.length, make),
    joined,
    get shapes() {
      return logprobs.map(({ length }, index) => shapeOf(data[index], length));
    },
    leaves,
    resultsOf: (results) => ({
      joined: results[0],
      datum: (index) => results[leafOfDatum.get(index) ?? -1],
    }),
  };
}

/**
 * Makes a list whose items are made when they are first asked for. One proxy: a getter for each item would cost as much as a
 * small loss.
 */
function lazyList<Item>(length: number, make: (index: number) => Item): readonly Item[] {
  const fill = (items: Item[], name: string | symbol): void => {
    if (typeof name !== "string" || !/^\d+$/.test(name)) return;
    const index = Number(name);
    if (index < length && !Object.hasOwn(items, index)) items[index] = make(index);
  };
  return new Proxy(new Array<Item>(length), {
    get(items, name) {
      fill(items, name);
      return Reflect.get(items, name);
    },
    has(items, name) {
      fill(items, name);
      return Reflect.has(items, name);
    },
    getOwnPropertyDescriptor(items, name) {
      fill(items, name);
      return Reflect.getOwnPropertyDescriptor(items, name);
    },
    ownKeys: () => [...Array.from({ length }, (_, index) => String(index)), "length"],
  });
}

/** Joins the numbers of the rows, one row after the other. */
export function joinRows(rows: readonly ArrayLike<number>[]): Float32Array {
  const joined = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const row of rows) {
    joined.set(row, offset);
    offset += row.length;
  }
  return joined;
}

/**
 * Gives the shape of the targets, whose log-probabilities these are; a flat list where that lists other elements (sparse
 * targets).
 */
function shapeOf(datum: Datum | undefined, length: number): number[] {
  const shape = datum?.loss_fn_inputs.target_tokens?.shape ?? [length];
  return elementCount(shape) === length ? [...shape] : [length];
}
