import type { AdapterParameters } from "./adapter-parameters.js";

/** One array for each factor of an adapter, as gradients and moments are; in the order of the adapter's pairs. */
export type AdapterTensors = readonly { readonly a: Float32Array; readonly b: Float32Array }[];

/** AdamW's memory of an adapter. */
export interface OptimizerState {
  /** Steps taken so far. */
  step: number;
  /** Running mean of the gradient. */
  readonly m: AdapterTensors;
  /** Running mean of the squared gradient. */
  readonly v: AdapterTensors;
}

/** Zeros in the shapes of an adapter. */
export function zeroTensors(parameters: AdapterParameters): AdapterTensors {
  return parameters.pairs.map(({ a, b }) => ({
    a: new Float32Array(a.length),
    b: new Float32Array(b.length),
  }));
}

/** A copy that later changes of the original do not reach. */
export function copyTensors(tensors: AdapterTensors): AdapterTensors {
  return tensors.map(({ a, b }) => ({ a: a.slice(), b: b.slice() }));
}

/** The optimizer before its first step. */
export function newOptimizerState(parameters: AdapterParameters): OptimizerState {
  return { step: 0, m: zeroTensors(parameters), v: zeroTensors(parameters) };
}
