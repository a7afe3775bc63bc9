import type { AdapterShape } from "../engine/engine.js";
import { type AdaptableModule, adaptableModules } from "../model/adaptable-modules.js";
import type { ModelConfig } from "../model/model-config.js";
import { randomStream } from "../random/random-stream.js";

/** The two factors that an adapter adds to one linear layer: `y = W x + (32 / rank) · B (A x)`. */
export interface AdapterPair {
  /** E.g. `model.layers.0.self_attn.q_proj`, or `lm_head`. */
  readonly module: string;
  /** `rank × dIn`, row-major. */
  readonly a: Float32Array;
  /** `dOut × rank`, row-major. */
  readonly b: Float32Array;
  readonly dIn: number;
  readonly dOut: number;
}

/** All numbers of a LoRA adapter. The arrays are updated in place by the optimizer. */
export interface AdapterParameters {
  readonly shape: AdapterShape;
  /** In the order of {@link adaptedModules}. */
  readonly pairs: readonly AdapterPair[];
}

/** LoRA's α, the same for every rank: no request of the API carries it. The scale is α / rank. */
export const loraAlpha = 32;

/** The linear layers an adapter of this shape changes, in the order of the model. */
export function adaptedModules(config: ModelConfig, shape: AdapterShape): AdaptableModule[] {
  const wanted = {
    attention: shape.trainAttention,
    mlp: shape.trainMlp,
    unembedding: shape.trainUnembedding,
  };
  return adaptableModules(config).filter(({ group }) => wanted[group]);
}

/**
 * A new adapter: `B = 0`, so that the model is unchanged at first, and `A` uniform in ±1/√dIn. Each module draws from
 * its own stream, so the same seed gives a module the same numbers whatever else is trained.
 */
export function createAdapterParameters(
  config: ModelConfig,
  shape: AdapterShape,
  seed: number,
): AdapterParameters {
  const pairs = adaptedModules(config, shape).map(({ module, inputSize, outputSize }) => ({
    module,
    a: uniform(shape.rank * inputSize, 1 / Math.sqrt(inputSize), randomStream(seed, module)),
    b: new Float32Array(outputSize * shape.rank),
    dIn: inputSize,
    dOut: outputSize,
  }));
  return { shape, pairs };
}

/** A copy that later steps of the original do not change. */
export function copyAdapterParameters(parameters: AdapterParameters): AdapterParameters {
  return {
    shape: parameters.shape,
    pairs: parameters.pairs.map((pair) => ({ ...pair, a: pair.a.slice(), b: pair.b.slice() })),
  };
}

function uniform(length: number, limit: number, random: () => number): Float32Array {
  return Float32Array.from({ length }, () => (2 * random() - 1) * limit);
}
