import type { Attribute } from "./attribute.js";
import type { ElementArrays, ElementType } from "./element-type.js";
import type { Value } from "./value.js";

/** A finished graph, ready for a runtime. */
export interface OnnxGraph {
  /** The bytes of an ONNX model file. */
  readonly model: Uint8Array;
  /** Absent where every tensor is in the model file. */
  readonly external?: ExternalTensors;
  /** Inputs of a run, in the order of declaration. */
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  /** The operator of every node, in order of evaluation, those of a loop's body behind it. */
  readonly operators: readonly string[];
}

/** Tensors of a graph that lie outside its model file. */
export interface ExternalTensors {
  /** Folder of all their files, absolute. */
  readonly folder: string;
  /** True where the runtime may make copies in the layout that its matrix products like best. */
  readonly isPacked: boolean;
}

/** A tensor of the model: numbers in its file, or their place in another one. */
export interface Initializer extends Value {
  readonly shape: readonly number[];
  readonly data: ElementArrays[ElementType] | TensorPlace;
}

/** Place of a tensor in a file: little-endian, row-major. */
export interface TensorPlace {
  readonly folder: string;
  /** Name of the file in `folder`. */
  readonly file: string;
  /** In bytes from the start of the file. */
  readonly offset: number;
  readonly byteLength: number;
}

/** A node before it is encoded; inputs by name, `""` for an optional input left out. */
export interface NodeSpec {
  readonly operator: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly Value[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Graph that a loop repeats. */
  readonly body?: GraphBody;
}

/** A graph inside a node. It may read the values around it. */
export interface GraphBody {
  readonly inputs: readonly Value[];
  readonly nodes: readonly NodeSpec[];
  readonly outputs: readonly Value[];
}

/** The parts of a graph, nodes in order of evaluation. */
export interface GraphParts {
  readonly inputs: readonly Value[];
  readonly initializers: readonly Initializer[];
  readonly nodes: readonly NodeSpec[];
}
