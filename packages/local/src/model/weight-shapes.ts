import { adaptableModules } from "./adaptable-modules.js";
import type { ModelConfig } from "./model-config.js";

const EMBEDDING = "model.embed_tokens.weight";

/** Every tensor a model of this configuration has, by its name in the file, with its shape. */
export function weightShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize, headSize, layerCount, vocabularySize } = config;
  const shapes = new Map<string, readonly number[]>([
    [EMBEDDING, [vocabularySize, hiddenSize]],
    ["model.norm.weight", [hiddenSize]],
  ]);
  for (let layer = 0; layer < layerCount; layer += 1) {
    shapes.set(`model.layers.${layer}.input_layernorm.weight`, [hiddenSize]);
    shapes.set(`model.layers.${layer}.post_attention_layernorm.weight`, [hiddenSize]);
    if (config.queryKeyNorm) {
      shapes.set(`model.layers.${layer}.self_attn.q_norm.weight`, [headSize]);
      shapes.set(`model.layers.${layer}.self_attn.k_norm.weight`, [headSize]);
    }
  }
  for (const { module, inputSize, outputSize, hasBias } of adaptableModules(config)) {
    if (module === "lm_head" && config.tiedEmbeddings) continue;
    shapes.set(`${module}.weight`, [outputSize, inputSize]);
    if (hasBias) shapes.set(`${module}.bias`, [outputSize]);
  }
  return shapes;
}

/** The matrix of a linear layer. */
export interface LinearMatrix {
  /** Name of the layer's weight, e.g. `lm_head.weight`. */
  readonly name: string;
  /** Name of the tensor that holds it: that of the embedding where the unembedding is tied to it. */
  readonly tensor: string;
  /** `[out, in]` */
  readonly shape: readonly [number, number];
}

/** The matrices of all linear layers, the unembedding last. */
export function linearMatrices(config: ModelConfig): LinearMatrix[] {
  return adaptableModules(config).map(({ module, inputSize, outputSize }) => {
    const name = `${module}.weight`;
    const isTied = module === "lm_head" && config.tiedEmbeddings;
    return { name, tensor: isTied ? EMBEDDING : name, shape: [outputSize, inputSize] };
  });
}

/** Names of the weights with two axes, in order. */
export function matrixNames(config: ModelConfig): string[] {
  return [...weightShapes(config)].flatMap(([name, { length }]) => (length >= 2 ? [name] : []));
}

/** Names of the weights with one axis, norms and biases, in order: few bytes. */
export function vectorNames(config: ModelConfig): string[] {
  return [...weightShapes(config)].flatMap(([name, { length }]) => (length < 2 ? [name] : []));
}
