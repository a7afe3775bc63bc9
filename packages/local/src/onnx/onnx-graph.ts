import type { Attribute } from "./attribute.js";
import type { ElementArrays, ElementType } from "./element-type.js";
import type { Value } from "./value.js";

/** A finished graph, ready for a runtime. */
export interface OnnxGraph {
  /** The bytes of an ONNX model file. */
  readonly model: Uint8Array;
  /** Inputs of a run, in the order of declaration. */
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  /** The operator of every node, in order of evaluation. */
  readonly operators: readonly string[];
}

/** A tensor stored in the model. */
export interface Initializer extends Value {
  readonly shape: readonly number[];
  readonly data: ElementArrays[ElementType];
}

/** A node before it is encoded; inputs and outputs by name, `""` for an optional input left out. */
export interface NodeSpec {
  readonly operator: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** The parts of a graph, nodes in order of evaluation. */
export interface GraphParts {
  readonly inputs: readonly Value[];
  readonly initializers: readonly Initializer[];
  readonly nodes: readonly NodeSpec[];
}
