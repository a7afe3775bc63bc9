import type { Attribute } from "./attribute.js";
import { describeShape, type Shape, sameShape } from "./dimension.js";
import { bytesOfElements, type ElementArrays, type ElementType } from "./element-type.js";
import { encodeModel } from "./encode-model.js";
import type {
  ExternalTensors,
  GraphBody,
  Initializer,
  NodeSpec,
  OnnxGraph,
  TensorPlace,
} from "./onnx-graph.js";
import { pruneBody, pruneGraph } from "./prune-graph.js";
import type { Value } from "./value.js";

/** Operators outside ONNX's own set that both runtimes have. */
export const microsoftDomain = "com.microsoft";

interface NodeRequest {
  readonly operator: string;
  readonly domain?: typeof microsoftDomain;
  /** `undefined` stands for an optional input that is left out. */
  readonly inputs: readonly (Value | undefined)[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly body?: GraphBody;
}

/**
 * Writes an ONNX graph node by node. Every value carries its element type and shape, and the functions that add nodes
 * check them, so that a graph that cannot run fails on the line that writes it.
 */
export class GraphBuilder {
  readonly #inputs = new Map<string, Value>();
  readonly #initializers = new Map<string, Initializer>();
  readonly #nodes: NodeSpec[] = [];
  /** See {@link ExternalTensors.isPacked}. */
  readonly isPacked: boolean;
  /** Builder of the graph that this one is a loop's body in. */
  readonly #outer: GraphBuilder | undefined;
  /** Makes names of a body unlike all others. */
  readonly #prefix: string;

  /** @param options - `isPacked`: see {@link ExternalTensors}; it concerns tensors outside the model file only */
  constructor({
    isPacked = true,
    outer,
  }: { readonly isPacked?: boolean; readonly outer?: GraphBuilder } = {}) {
    this.isPacked = outer?.isPacked ?? isPacked;
    this.#outer = outer;
    this.#prefix = outer === undefined ? "" : `${outer.#prefix}body.${outer.#nodes.length}.`;
  }

  /** Builder of a loop's body, which may read all values of this graph; its constants become those of the whole. */
  bodyBuilder(): GraphBuilder {
    return new GraphBuilder({ outer: this });
  }

  /** Declares a tensor that is given at every run. Asking again for the same name gives the same value. */
  input(name: string, type: ElementType, shape: Shape): Value {
    return this.#declare(this.#inputs, { name: `${this.#prefix}${name}`, type, shape });
  }

  /**
   * A tensor that is part of the model. Asking again for the same name gives the same value, so that the backward half
   * shares the weights of the forward half.
   *
   * @param data - row-major; kept by reference until {@link build}
   */
  initializer<T extends ElementType>(
    name: string,
    type: T,
    shape: readonly number[],
    data: ElementArrays[T],
  ): Value {
    if (this.#outer !== undefined) return this.#outer.initializer(name, type, shape, data);
    const size = shape.reduce((product, length) => product * length, 1);
    if (bytesOfElements(type, size) !== data.byteLength) {
      throw new Error(
        `initializer "${name}" ${describeShape(shape)} must have ${size} numbers, got ${data.length}`,
      );
    }
    return this.#declare(this.#initializers, { name, type, shape, data });
  }

  /** A tensor of the model that stays in its file, from which the runtime reads it. One folder has all such files of a graph. */
  externalInitializer(name: string, type: ElementType, shape: readonly number[], place: TensorPlace): Value {
    if (this.#outer !== undefined) return this.#outer.externalInitializer(name, type, shape, place);
    const size = bytesOfElements(
      type,
      shape.reduce((product, length) => product * length, 1),
    );
    if (size !== place.byteLength) {
      throw new Error(
        `initializer "${name}" ${describeShape(shape)} must have ${size} bytes, got ${place.byteLength}`,
      );
    }
    return this.#declare(this.#initializers, { name, type, shape, data: place });
  }

  /** A float32 constant without axes. */
  scalar(value: number): Value {
    return this.initializer(`scalar.${value}`, "float32", [], Float32Array.of(value));
  }

  /** A vector of int64 constants: axes, sizes, the target of a reshape. */
  intVector(values: readonly number[]): Value {
    const data = BigInt64Array.from(values, BigInt);
    return this.initializer(`ints.${values.join(",")}`, "int64", [values.length], data);
  }

  /** Adds a node with one output of the given type and shape, which the caller has worked out. */
  node(request: NodeRequest, type: ElementType, shape: Shape): Value {
    const name = `${this.#prefix}${request.operator}.${this.#nodes.length}`;
    const value: Value = { name, type, shape };
    this.#append(request, [value]);
    return value;
  }

  /** Adds a node with several outputs. */
  nodeWithOutputs(request: NodeRequest, outputs: readonly Pick<Value, "type" | "shape">[]): Value[] {
    const values = outputs.map(({ type, shape }, index) => ({
      name: `${this.#prefix}${request.operator}.${this.#nodes.length}.${index}`,
      type,
      shape,
    }));
    this.#append(request, values);
    return values;
  }

  /**
   * Finishes the graph. What no output needs (nodes, inputs, weights) is left out, so a caller may write a whole
   * backward pass and pay only for the gradients it asks for.
   *
   * @param outputs - by the names under which a run gives them
   */
  build(outputs: Readonly<Record<string, Value>>): OnnxGraph {
    const taken = Object.keys(outputs).find((name) => this.#inputs.has(name) || this.#initializers.has(name));
    if (taken !== undefined) throw new Error(`output "${taken}" has the name of an input or initializer`);
    const graph = pruneGraph(
      {
        inputs: [...this.#inputs.values()],
        initializers: [...this.#initializers.values()],
        nodes: this.#nodes,
      },
      Object.values(outputs),
    );
    return {
      model: encodeModel(graph, outputs),
      ...this.#external(graph.initializers),
      inputs: graph.inputs,
      outputs: Object.entries(outputs).map(([name, { type, shape }]) => ({ name, type, shape })),
      operators: graph.nodes.flatMap(operatorsOf),
    };
  }

  /** Finishes a loop's body, with outputs in the order in which the loop wants them, each given by a node of the body. */
  buildBody(outputs: readonly Value[]): GraphBody {
    return pruneBody({ inputs: [...this.#inputs.values()], nodes: this.#nodes, outputs });
  }

  #external(initializers: readonly Initializer[]): Pick<OnnxGraph, "external"> {
    const folders = new Set(initializers.flatMap(({ data }) => ("file" in data ? [data.folder] : [])));
    const [folder, other] = folders;
    if (other !== undefined) throw new Error(`tensors must lie in one folder, got ${folder} and ${other}`);
    return folder === undefined ? {} : { external: { folder, isPacked: this.isPacked } };
  }

  #append(request: NodeRequest, outputs: readonly Value[]): void {
    this.#nodes.push({
      operator: request.operator,
      domain: request.domain ?? "",
      inputs: request.inputs.map((value) => value?.name ?? ""),
      outputs,
      attributes: request.attributes ?? {},
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  }

  #declare<T extends Value>(known: Map<string, T>, value: T): T {
    const existing = known.get(value.name);
    if (existing === undefined) {
      known.set(value.name, value);
      return value;
    }
    if (existing.type !== value.type || !sameShape(existing.shape, value.shape)) {
      throw new Error(
        `"${value.name}" is already ${existing.type} ${describeShape(existing.shape)}, ` +
          `not ${value.type} ${describeShape(value.shape)}`,
      );
    }
    return existing;
  }
}

function operatorsOf({ operator, body }: NodeSpec): readonly string[] {
  return [operator, ...(body?.nodes.flatMap(operatorsOf) ?? [])];
}
