/** Sizes of a model that learning rates and adapters depend on. */
export interface ModelSizes {
  readonly hiddenSize: number;
  /** Parameters of an adapter of rank 1 on each part; those of rank r are r times as many. The experts of a layer share one factor. */
  readonly mlp: number;
  readonly attn: number;
  readonly unembed: number;
}

/** Models by their base name, as tinker-cookbook 0.6.1 has them. */
export const MODEL_TABLE: Readonly<Record<string, ModelSizes>> = {
  "deepseek-ai/DeepSeek-V3.1": { hiddenSize: 7168, mlp: 94_307_328, attn: 2_440_000, unembed: 136_448 },
  "deepseek-ai/DeepSeek-V3.1-Base": { hiddenSize: 7168, mlp: 94_307_328, attn: 2_440_000, unembed: 136_448 },
  "deepseek-ai/DeepSeek-V4.1-Flash": { hiddenSize: 5120, mlp: 107_673_600, attn: 1_013_760, unembed: 134_400 },
  "deepseek-ai/DeepSeek-V4.1-Flash-1017": { hiddenSize: 5120, mlp: 107_673_600, attn: 1_013_760, unembed: 134_400 },
  "meta-llama/Llama-3.1-70B": { hiddenSize: 8192, mlp: 8_847_360, attn: 4_096_000, unembed: 136_448 },
  "meta-llama/Llama-3.1-8B": { hiddenSize: 4096, mlp: 1_769_472, attn: 851_968, unembed: 132_352 },
  "meta-llama/Llama-3.1-8B-Instruct": { hiddenSize: 4096, mlp: 1_769_472, attn: 851_968, unembed: 132_352 },
  "meta-llama/Llama-3.2-1B": { hiddenSize: 2048, mlp: 491_520, attn: 212_992, unembed: 130_304 },
  "meta-llama/Llama-3.2-3B": { hiddenSize: 3072, mlp: 946_176, attn: 573_440, unembed: 131_328 },
  "meta-llama/Llama-3.3-70B-Instruct": { hiddenSize: 8192, mlp: 8_847_360, attn: 4_096_000, unembed: 136_448 },
  "moonshotai/Kimi-K2-Thinking": { hiddenSize: 7168, mlp: 144_583_680, attn: 1_940_288, unembed: 171_008 },
  "moonshotai/Kimi-K2.5": { hiddenSize: 7168, mlp: 144_583_680, attn: 1_940_288, unembed: 171_008 },
  "moonshotai/Kimi-K2.6": { hiddenSize: 7168, mlp: 144_583_680, attn: 1_940_288, unembed: 171_008 },
  "moonshotai/Kimi-K3.1-Pro": { hiddenSize: 7168, mlp: 766_457_856, attn: 8_040_960, unembed: 171_008 },
  "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": { hiddenSize: 2688, mlp: 11_346_176, attn: 584_832, unembed: 133_760 },
  "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": { hiddenSize: 4096, mlp: 111_349_760, attn: 1_675_264, unembed: 135_168 },
  "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16": { hiddenSize: 8192, mlp: 254_529_536, attn: 4_134_912, unembed: 139_264 },
  "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16": { hiddenSize: 2688, mlp: 11_346_176, attn: 584_832, unembed: 133_760 },
  "nvidia/NVIDIA-Nemotron-3.5-Super-VL-120B-A12B-BF16": { hiddenSize: 4096, mlp: 111_349_760, attn: 1_675_264, unembed: 135_168 },
  "openai/gpt-oss-120b": { hiddenSize: 2880, mlp: 40_124_160, attn: 746_496, unembed: 203_968 },
  "openai/gpt-oss-20b": { hiddenSize: 2880, mlp: 6_842_880, attn: 497_664, unembed: 203_968 },
  "Qwen/Qwen3-235B-A22B-Instruct-2507": { hiddenSize: 4096, mlp: 56_598_528, attn: 3_176_448, unembed: 156_032 },
  "Qwen/Qwen3-30B-A3B": { hiddenSize: 2048, mlp: 14_450_688, attn: 835_584, unembed: 153_984 },
  "Qwen/Qwen3-30B-A3B-Base": { hiddenSize: 2048, mlp: 14_450_688, attn: 835_584, unembed: 153_984 },
  "Qwen/Qwen3-30B-A3B-Instruct-2507": { hiddenSize: 2048, mlp: 14_450_688, attn: 835_584, unembed: 153_984 },
  "Qwen/Qwen3-32B": { hiddenSize: 5120, mlp: 5_898_240, attn: 2_490_368, unembed: 157_056 },
  "Qwen/Qwen3-4B-Instruct-2507": { hiddenSize: 2560, mlp: 1_327_104, attn: 737_280, unembed: 154_496 },
  "Qwen/Qwen3-8B": { hiddenSize: 4096, mlp: 1_769_472, attn: 958_464, unembed: 156_032 },
  "Qwen/Qwen3-8B-Base": { hiddenSize: 4096, mlp: 1_769_472, attn: 958_464, unembed: 156_032 },
  "Qwen/Qwen3-VL-235B-A22B-Instruct": { hiddenSize: 4096, mlp: 56_598_528, attn: 3_176_448, unembed: 156_032 },
  "Qwen/Qwen3-VL-30B-A3B-Instruct": { hiddenSize: 2048, mlp: 14_450_688, attn: 835_584, unembed: 153_984 },
  "Qwen/Qwen3.5-27B": { hiddenSize: 5120, mlp: 4_325_376, attn: 2_965_504, unembed: 253_440 },
  "Qwen/Qwen3.5-35B-A3B": { hiddenSize: 2048, mlp: 16_281_600, attn: 1_013_760, unembed: 250_368 },
  "Qwen/Qwen3.5-35B-A3B-Base": { hiddenSize: 2048, mlp: 16_281_600, attn: 1_013_760, unembed: 250_368 },
  "Qwen/Qwen3.5-397B-A17B": { hiddenSize: 4096, mlp: 96_030_720, attn: 2_841_600, unembed: 252_416 },
  "Qwen/Qwen3.5-4B": { hiddenSize: 2560, mlp: 1_130_496, attn: 897_024, unembed: 250_880 },
  "Qwen/Qwen3.5-9B": { hiddenSize: 4096, mlp: 1_572_864, attn: 1_130_496, unembed: 252_416 },
  "Qwen/Qwen3.5-9B-Base": { hiddenSize: 4096, mlp: 1_572_864, attn: 1_130_496, unembed: 252_416 },
  "Qwen/Qwen3.6-27B": { hiddenSize: 5120, mlp: 4_325_376, attn: 2_965_504, unembed: 253_440 },
  "Qwen/Qwen3.6-35B-A3B": { hiddenSize: 2048, mlp: 16_281_600, attn: 1_013_760, unembed: 250_368 },
  "Qwen/Qwen3.8-27B": { hiddenSize: 5120, mlp: 4_325_376, attn: 2_965_504, unembed: 253_440 },
  "thinkingmachines/Inkling": { hiddenSize: 6144, mlp: 154_705_920, attn: 3_424_256, unembed: 207_168 },
  "thinkingmachines/Inkling-2-Small": { hiddenSize: 4608, mlp: 128_065_536, attn: 2_347_008, unembed: 205_632 },
  "thinkingmachines/Inkling-Small": { hiddenSize: 4096, mlp: 64_503_808, attn: 1_311_744, unembed: 205_120 },
  "zai-org/GLM-5.3": { hiddenSize: 6144, mlp: 121_356_288, attn: 2_920_320, unembed: 161_024 },
  "zai-org/GLM-5.3-Flash": { hiddenSize: 4096, mlp: 75_755_520, attn: 2_009_088, unembed: 158_976 },
};
