import { ValidationError } from "@tinkex/base";
import { shortened } from "../json/shortened.js";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import type { QuantizedRows } from "../quantization/quantize-rows.js";
import type { WeightBits } from "../quantization/weight-format.js";
import type { FloatTensor, SafetensorsReader } from "../safetensors/safetensors-reader.js";
import type { ModelConfig } from "./model-config.js";
import { weightShapes } from "./weight-shapes.js";

/** Weights as a graph takes them: numbers in memory, or their place in a file where the runtime reads them itself. */
export interface GraphWeights extends Pick<ModelTensors, "get"> {
  /** Tells where a tensor lies as float32; nothing for one that is to be had by `get`. */
  stored?(name: string): StoredTensor | undefined;
  /**
   * Gives the matrix of a linear layer in few bits; nothing where it is float32.
   *
   * @param name - e.g. `model.layers.0.self_attn.q_proj.weight`, or `lm_head.weight`, also where it is the embedding
   */
  quantized?(name: string): QuantizedTensor | undefined;
}

/** A matrix as {@link quantizeRows} gives it, in memory or in a file that may be mapped. */
export interface QuantizedTensor {
  readonly bits: WeightBits;
  /** `[out, in]` */
  readonly shape: readonly [number, number];
  readonly packed: QuantizedRows["packed"] | TensorPlace;
  readonly scales: QuantizedRows["scales"] | TensorPlace;
}

/** A float32 tensor in a file that may be mapped into memory. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly place: TensorPlace;
}

/** A quantized matrix in a file that may be mapped into memory. */
export interface StoredQuantizedTensor extends QuantizedTensor {
  /** Name of the tensor that it was made from. */
  readonly tensor: string;
  readonly packed: TensorPlace;
  readonly scales: TensorPlace;
}

/** The tensors of a base model, read when asked for and widened to float32. */
export interface ModelTensors {
  /**
   * @param name - e.g. `model.layers.0.self_attn.q_proj.weight`
   * @throws ValidationError when the model has no such tensor
   */
  get(name: string): FloatTensor;
  /** Reads a tensor piece by piece in order, and keeps none of them. @throws as `get` does */
  pieces(name: string): Iterable<Float32Array>;
}

/**
 * Checks that every tensor the configuration asks for is there in its shape and in a dtype that is read, and that no layer has others.
 * A tensor is read once and shared while anyone holds it.
 *
 * @param files - by the names of the tensors that they hold
 * @param place - of the model, for messages: its directory
 * @throws ValidationError naming the tensor
 */
export function modelTensors(
  files: ReadonlyMap<string, SafetensorsReader>,
  config: ModelConfig,
  place: string,
): ModelTensors {
  checkTensors(files, weightShapes(config), place);
  const read = new Map<string, WeakRef<Float32Array>>();
  const find = (name: string) => {
    const file = files.get(name);
    const shape = file?.shapeOf(name);
    if (file === undefined || shape === undefined) {
      throw new ValidationError(`the model in ${place} has no tensor "${name}"`);
    }
    return { file, shape };
  };
  return {
    get(name) {
      const { file, shape } = find(name);
      const known = read.get(name)?.deref();
      if (known !== undefined) return { data: known, shape };
      const { data } = file.read(name);
      read.set(name, new WeakRef(data));
      return { data, shape };
    },
    pieces: (name) => find(name).file.pieces(name),
  };
}

function checkTensors(
  files: ReadonlyMap<string, SafetensorsReader>,
  shapes: ReadonlyMap<string, readonly number[]>,
  place: string,
): void {
  for (const [name, expected] of shapes) {
    const file = files.get(name);
    const found = file?.shapeOf(name);
    if (file === undefined || found === undefined) {
      throw new ValidationError(
        `the model in ${place} lacks the tensor "${name}", which its config.json implies; ` +
          "check that the weights are complete and belong to this config.json",
      );
    }
    if (found.length !== expected.length || found.some((length, axis) => length !== expected[axis])) {
      throw new ValidationError(
        `tensor "${name}" of the model in ${place} has shape [${found.join(", ")}]; ` +
          `config.json implies [${expected.join(", ")}]`,
      );
    }
    file.requireReadable(name);
  }
  for (const name of files.keys()) {
    if (shapes.has(name) || !LAYER_TENSOR.test(name)) continue;
    throw new ValidationError(
      `the model in ${place} has the tensor "${shortened(name)}", for which its config.json has no place; ` +
        "check that the weights belong to this config.json: a model that leaves them out is another one",
    );
  }
}

/** Names of the tensors of layers, but the frequencies that old models hold, which follow from the configuration. */
const LAYER_TENSOR = /^model\.layers\.(?!\d{1,10}\.self_attn\.rotary_emb\.inv_freq$)/;
