import type { ModelConfig } from "./model-config.js";

/** A linear layer `y = W x` that an adapter may change. */
export interface AdaptableModule {
  /** E.g. `model.layers.0.self_attn.q_proj`, or `lm_head`. */
  readonly module: string;
  readonly group: "attention" | "mlp" | "unembedding";
  readonly inputSize: number;
  readonly outputSize: number;
  /** True when the layer is `y = W x + b`. */
  readonly hasBias: boolean;
}

/** All linear layers of a model: layer by layer q, k, v, o, gate, up, down, and the unembedding last. */
export function adaptableModules(config: ModelConfig): AdaptableModule[] {
  const { hiddenSize, intermediateSize, vocabularySize, attentionBias } = config;
  const querySize = config.headCount * config.headSize;
  const keyValueSize = config.keyValueHeadCount * config.headSize;
  const ofLayer = [
    ["self_attn.q_proj", "attention", hiddenSize, querySize, attentionBias],
    ["self_attn.k_proj", "attention", hiddenSize, keyValueSize, attentionBias],
    ["self_attn.v_proj", "attention", hiddenSize, keyValueSize, attentionBias],
    ["self_attn.o_proj", "attention", querySize, hiddenSize, false],
    ["mlp.gate_proj", "mlp", hiddenSize, intermediateSize, false],
    ["mlp.up_proj", "mlp", hiddenSize, intermediateSize, false],
    ["mlp.down_proj", "mlp", intermediateSize, hiddenSize, false],
  ] as const;
  const modules: AdaptableModule[] = [];
  for (let layer = 0; layer < config.layerCount; layer += 1) {
    for (const [name, group, inputSize, outputSize, hasBias] of ofLayer) {
      modules.push({ module: `model.layers.${layer}.${name}`, group, inputSize, outputSize, hasBias });
    }
  }
  modules.push({
    module: "lm_head",
    group: "unembedding",
    inputSize: hiddenSize,
    outputSize: vocabularySize,
    hasBias: false,
  });
  return modules;
}
