import type { ModelConfig } from "./model-config.js";

/** A linear layer `y = W x` that an adapter may change. */
export interface AdaptableModule {
  /** E.g. `model.layers.0.self_attn.q_proj`, or `lm_head`. */
  readonly module: string;
  readonly group: "attention" | "mlp" | "unembedding";
  readonly inputSize: number;
  readonly outputSize: number;
}

/** All linear layers of a model: layer by layer q, k, v, o, gate, up, down, and the unembedding last. */
export function adaptableModules(config: ModelConfig): AdaptableModule[] {
  const { hiddenSize, intermediateSize, vocabularySize } = config;
  const querySize = config.headCount * config.headSize;
  const keyValueSize = config.keyValueHeadCount * config.headSize;
  const ofLayer = [
    ["self_attn.q_proj", "attention", hiddenSize, querySize],
    ["self_attn.k_proj", "attention", hiddenSize, keyValueSize],
    ["self_attn.v_proj", "attention", hiddenSize, keyValueSize],
    ["self_attn.o_proj", "attention", querySize, hiddenSize],
    ["mlp.gate_proj", "mlp", hiddenSize, intermediateSize],
    ["mlp.up_proj", "mlp", hiddenSize, intermediateSize],
    ["mlp.down_proj", "mlp", intermediateSize, hiddenSize],
  ] as const;
  const modules: AdaptableModule[] = [];
  for (let layer = 0; layer < config.layerCount; layer++) {
    for (const [name, group, inputSize, outputSize] of ofLayer) {
      modules.push({ module: `model.layers.${layer}.${name}`, group, inputSize, outputSize });
    }
  }
  modules.push({
    module: "lm_head",
    group: "unembedding",
    inputSize: hiddenSize,
    outputSize: vocabularySize,
  });
  return modules;
}
