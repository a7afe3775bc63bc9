import { quantizeRows } from "../quantization/quantize-rows.js";
import type { WeightBits } from "../quantization/weight-format.js";
import type { ModelConfig } from "./model-config.js";
import type { GraphWeights, ModelTensors } from "./model-tensors.js";
import { linearMatrices } from "./weight-shapes.js";

/** Weights of a small model in few bits: a matrix is quantized when a graph asks for it. @throws ValidationError as `quantizeRows` does */
export function quantizedWeights(
  weights: Pick<ModelTensors, "get">,
  config: ModelConfig,
  bits: WeightBits,
): GraphWeights {
  const matrices = new Map(linearMatrices(config).map((matrix) => [matrix.name, matrix]));
  return {
    get: (name) => weights.get(name),
    quantized(name) {
      const matrix = matrices.get(name);
      if (matrix === undefined) return undefined;
      const { tensor, shape } = matrix;
      return { bits, shape, ...quantizeRows(weights.get(tensor).data, shape[1], bits, tensor) };
    },
  };
}
