import { checkString, nearestName, ValidationError } from "@tinkex/base";
import { builtInRenderers } from "./built-in-renderers.js";
import type { BuiltInRendererName } from "./get-renderer.js";

const BASE = ["role_colon"];
const QWEN3 = ["qwen3", "qwen3_disable_thinking"];
const QWEN3_INSTRUCT = ["qwen3_instruct"];
const QWEN3_VL_INSTRUCT = ["qwen3_vl_instruct"];
const QWEN3_5 = ["qwen3_5", "qwen3_5_disable_thinking", "qwen3_5_preserve_thinking"];
const DEEPSEEK_V4_1 = [
  "deepseekv4_1",
  "deepseekv4_1_low_reasoning",
  "deepseekv4_1_max_reasoning",
  "deepseekv4_1_disable_thinking",
  "deepseekv4_1_preserve_thinking",
];
const NEMOTRON3 = ["nemotron3", "nemotron3_disable_thinking", "nemotron3_preserve_thinking"];
const NEMOTRON3_ULTRA = [
  "nemotron3_ultra",
  "nemotron3_ultra_disable_thinking",
  "nemotron3_ultra_medium_thinking",
  "nemotron3_ultra_preserve_thinking",
];
const GPT_OSS = ["gpt_oss_no_sysprompt", "gpt_oss_medium_reasoning"];
const GLM5_3 = ["glm5_3_max_reasoning", "glm5_3_low_reasoning", "glm5_3_high_reasoning"];
const INKLING = ["tml_v0"];

/** The renderers of each model, the recommended one first, as tinker-cookbook 0.6.1 recommends them. */
export const modelRenderers: Readonly<Record<string, readonly string[]>> = {
  "Qwen/Qwen3-235B-A22B-Instruct-2507": QWEN3_INSTRUCT,
  "Qwen/Qwen3-30B-A3B": QWEN3,
  "Qwen/Qwen3-30B-A3B-Base": BASE,
  "Qwen/Qwen3-30B-A3B-Instruct-2507": QWEN3_INSTRUCT,
  "Qwen/Qwen3-32B": QWEN3,
  "Qwen/Qwen3-4B-Instruct-2507": QWEN3_INSTRUCT,
  "Qwen/Qwen3-8B": QWEN3,
  "Qwen/Qwen3-8B-Base": BASE,
  "Qwen/Qwen3-VL-235B-A22B-Instruct": QWEN3_VL_INSTRUCT,
  "Qwen/Qwen3-VL-30B-A3B-Instruct": QWEN3_VL_INSTRUCT,
  "Qwen/Qwen3.5-27B": QWEN3_5,
  "Qwen/Qwen3.5-35B-A3B": QWEN3_5,
  "Qwen/Qwen3.5-35B-A3B-Base": BASE,
  "Qwen/Qwen3.5-397B-A17B": QWEN3_5,
  "Qwen/Qwen3.5-4B": QWEN3_5,
  "Qwen/Qwen3.5-9B": QWEN3_5,
  "Qwen/Qwen3.5-9B-Base": BASE,
  "Qwen/Qwen3.6-27B": QWEN3_5,
  "Qwen/Qwen3.6-35B-A3B": QWEN3_5,
  "Qwen/Qwen3.8-27B": [
    "qwen3_8_xhigh_reasoning",
    "qwen3_8_disable_thinking",
    "qwen3_8_medium_reasoning",
    "qwen3_8_low_reasoning",
  ],
  "deepseek-ai/DeepSeek-V3.1": ["deepseekv3", "deepseekv3_thinking"],
  "deepseek-ai/DeepSeek-V3.1-Base": BASE,
  "deepseek-ai/DeepSeek-V4.1-Flash": DEEPSEEK_V4_1,
  "deepseek-ai/DeepSeek-V4.1-Flash-1017": DEEPSEEK_V4_1,
  "meta-llama/Llama-3.1-70B": BASE,
  "meta-llama/Llama-3.1-8B": BASE,
  "meta-llama/Llama-3.1-8B-Instruct": ["llama3"],
  "meta-llama/Llama-3.2-1B": BASE,
  "meta-llama/Llama-3.2-3B": BASE,
  "meta-llama/Llama-3.3-70B-Instruct": ["llama3"],
  "moonshotai/Kimi-K2-Thinking": ["kimi_k2"],
  "moonshotai/Kimi-K2.5": ["kimi_k25", "kimi_k25_disable_thinking"],
  "moonshotai/Kimi-K2.6": ["kimi_k26", "kimi_k26_disable_thinking", "kimi_k26_preserve_thinking"],
  "moonshotai/Kimi-K3.1-Pro": [
    "kimi_k31_pro_max_reasoning",
    "kimi_k31_pro_high_reasoning",
    "kimi_k31_pro_low_reasoning",
    "kimi_k31_pro_disable_thinking",
    "kimi_k31_pro_no_reasoning_effort",
  ],
  "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": NEMOTRON3,
  "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16": [...NEMOTRON3, "nemotron3_low_thinking"],
  "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16": NEMOTRON3_ULTRA,
  "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16": [
    "nemotron3_ultra",
    "nemotron3_ultra_disable_thinking",
    "nemotron3_ultra_preserve_thinking",
  ],
  "nvidia/NVIDIA-Nemotron-3.5-Super-VL-120B-A12B-BF16": NEMOTRON3_ULTRA,
  "openai/gpt-oss-120b": GPT_OSS,
  "openai/gpt-oss-20b": GPT_OSS,
  "thinkingmachines/Inkling": INKLING,
  "thinkingmachines/Inkling-2-Small": INKLING,
  "thinkingmachines/Inkling-Small": INKLING,
  "zai-org/GLM-5.3": GLM5_3,
  "zai-org/GLM-5.3-Flash": GLM5_3,
  // Of the models that @tinkex/local brings along, this one was trained on plain text.
  "tinkex/pocket-1": BASE,
  // This one has the tokens of these layouts.
  "tinkex/pocket-2": [...QWEN3_INSTRUCT, "qwen3_disable_thinking", "llama3", ...BASE],
};

/**
 * The names of the renderers that fit a model, the recommended one first. A variant such as `Qwen/Qwen3-8B:peft:131072` has those of
 * its model.
 *
 * @throws ValidationError when the model is not known, naming the nearest ones, or its layout is not in this package
 */
export function rendererNamesFor(model: string): readonly BuiltInRendererName[] {
  checkString(model, "model", "Qwen/Qwen3-8B");
  const [name = model] = model.split(":");
  const names = Object.hasOwn(modelRenderers, name) ? modelRenderers[name] : undefined;
  if (names === undefined) {
    const meant = nearestName(name, Object.keys(modelRenderers));
    const question = meant === undefined ? "" : `did you mean ${JSON.stringify(meant)}? If not, `;
    throw new ValidationError(
      `no renderer is known to fit the model ${JSON.stringify(model)}; ${question}name a renderer yourself, as in getRenderer("qwen3", tokenizer)`,
      { path: ["model"] },
    );
  }
  const known = names.filter(isBuiltIn);
  if (known.length > 0) return known;
  throw new ValidationError(
    `${model} is written by ${names.join(" or ")}, which this package does not have; bring your own with registerRenderer`,
    { path: ["model"] },
  );
}

/** The recommended renderer of a model; see {@link rendererNamesFor}. */
export function rendererNameFor(model: string): BuiltInRendererName {
  const [name] = rendererNamesFor(model);
  // rendererNamesFor gives one at least.
  return name as BuiltInRendererName;
}

function isBuiltIn(name: string): name is BuiltInRendererName {
  return Object.hasOwn(builtInRenderers, name);
}
