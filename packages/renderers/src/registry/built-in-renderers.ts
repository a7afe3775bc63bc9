import { checkKnownNames } from "@tinkex/base";
import { deepseekV41Layout } from "../families/deepseek/deepseek-v4-1.js";
import { type DeepseekV3Options, deepseekV3Layout } from "../families/deepseek/deepseekv3.js";
import { glm53Layout } from "../families/glm5-3.js";
import { type GptOssOptions, gptOssLayout } from "../families/gpt-oss/gpt-oss.js";
import { type KimiOptions, kimiK2Layout, kimiK25Layout } from "../families/kimi/kimi-k2.js";
import { llama3Layout } from "../families/llama3.js";
import { nemotron3Layout } from "../families/nemotron3.js";
import { qwen3Layout } from "../families/qwen/qwen3.js";
import { type Qwen35Options, qwen35Layout, qwen38Layout } from "../families/qwen/qwen3-5.js";
import { type Qwen3VlOptions, qwen3VlLayout } from "../families/qwen/qwen3-vl.js";
import { roleColonLayout } from "../families/role-colon.js";
import { type TmlOptions, tmlV0Layout } from "../families/tml/tml-v0.js";
import type { Layout } from "../layout/layout.js";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";

/** No options but those that every renderer has. */
export type NoOptions = Readonly<Record<never, never>>;

/** Makes the layout that a name stands for. Its options are what `getRenderer` takes with that name. */
export type LayoutFactory<Options> = (tokenizer: RendererTokenizer, options: Options) => Layout;

/** The options that families take, by name. */
const NONE = {} as const;
const DATE = { currentDate: true, clock: true } as const;
const SYSTEM = { systemAsUser: true } as const;
const EFFORT = { effort: true } as const;
const IMAGES = { imageProcessor: true } as const;

/** The layouts by the names under which configurations and checkpoints know them. */
export const builtInRenderers = {
  role_colon: taking(NONE, (tokenizer, _options: NoOptions) => roleColonLayout(tokenizer)),
  llama3: fixed(llama3Layout),
  qwen3: fixed(qwen3Layout({ hasBlocks: true, isDisabled: false, isKeptInHistory: false })),
  qwen3_disable_thinking: fixed(qwen3Layout({ hasBlocks: true, isDisabled: true, isKeptInHistory: false })),
  qwen3_instruct: fixed(qwen3Layout({ hasBlocks: false, isDisabled: false, isKeptInHistory: false })),
  qwen3_keep_thinking: fixed(qwen3Layout({ hasBlocks: true, isDisabled: false, isKeptInHistory: true })),
  deepseekv3: taking(SYSTEM, (_, options: DeepseekV3Options) => deepseekV3Layout(false, options)),
  // An older name of the same, under which runs are kept.
  deepseekv3_disable_thinking: taking(SYSTEM, (_, options: DeepseekV3Options) =>
    deepseekV3Layout(false, options),
  ),
  deepseekv3_thinking: taking(SYSTEM, (_, options: DeepseekV3Options) => deepseekV3Layout(true, options)),
  gpt_oss_no_sysprompt: fixed(gptOssLayout()),
  gpt_oss_low_reasoning: taking(DATE, (_, options: GptOssOptions) => gptOssLayout("low", options)),
  gpt_oss_medium_reasoning: taking(DATE, (_, options: GptOssOptions) => gptOssLayout("medium", options)),
  gpt_oss_high_reasoning: taking(DATE, (_, options: GptOssOptions) => gptOssLayout("high", options)),
  qwen3_vl: taking(IMAGES, (_, options: Qwen3VlOptions) => qwen3VlLayout({ ...options, isInstruct: false })),
  qwen3_vl_instruct: taking(IMAGES, (_, options: Qwen3VlOptions) =>
    qwen3VlLayout({ ...options, isInstruct: true }),
  ),
  qwen3_5: taking(IMAGES, (_, options: Qwen35Options) => qwen35Layout(options)),
  qwen3_5_disable_thinking: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen35Layout({ ...options, disablesThinking: true }),
  ),
  qwen3_5_preserve_thinking: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen35Layout({ ...options, keepsThinking: true }),
  ),
  qwen3_8_xhigh_reasoning: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen38Layout({ ...options, effort: "xhigh" }),
  ),
  qwen3_8_medium_reasoning: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen38Layout({ ...options, effort: "medium" }),
  ),
  qwen3_8_low_reasoning: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen38Layout({ ...options, effort: "low" }),
  ),
  qwen3_8_disable_thinking: taking(IMAGES, (_, options: Qwen35Options) =>
    qwen38Layout({ ...options, disablesThinking: true }),
  ),
  nemotron3: fixed(nemotron3Layout({})),
  nemotron3_low_thinking: fixed(nemotron3Layout({ effort: "low" })),
  nemotron3_disable_thinking: fixed(nemotron3Layout({ disablesThinking: true })),
  nemotron3_preserve_thinking: fixed(nemotron3Layout({ keepsThinking: true })),
  nemotron3_ultra: fixed(nemotron3Layout({ isUltra: true })),
  nemotron3_ultra_medium_thinking: fixed(nemotron3Layout({ isUltra: true, effort: "efficient" })),
  nemotron3_ultra_disable_thinking: fixed(nemotron3Layout({ isUltra: true, disablesThinking: true })),
  nemotron3_ultra_preserve_thinking: fixed(nemotron3Layout({ isUltra: true, keepsThinking: true })),
  glm5_3_max_reasoning: fixed(glm53Layout("Max")),
  glm5_3_high_reasoning: fixed(glm53Layout("High")),
  glm5_3_low_reasoning: fixed(glm53Layout("Low")),
  kimi_k2: fixed(kimiK2Layout()),
  kimi_k25: taking(IMAGES, (_, options: KimiOptions) => kimiK25Layout(options)),
  kimi_k25_disable_thinking: taking(IMAGES, (_, options: KimiOptions) =>
    kimiK25Layout({ ...options, disablesThinking: true }),
  ),
  kimi_k26: taking(IMAGES, (_, options: KimiOptions) => kimiK25Layout(options)),
  kimi_k26_disable_thinking: taking(IMAGES, (_, options: KimiOptions) =>
    kimiK25Layout({ ...options, disablesThinking: true }),
  ),
  kimi_k26_preserve_thinking: taking(IMAGES, (_, options: KimiOptions) =>
    kimiK25Layout({ ...options, keepsThinking: true }),
  ),
  deepseekv4_1: fixed(deepseekV41Layout({ effort: 75 })),
  deepseekv4_1_low_reasoning: fixed(deepseekV41Layout({ effort: 50 })),
  deepseekv4_1_max_reasoning: fixed(deepseekV41Layout({ effort: 100 })),
  deepseekv4_1_preserve_thinking: fixed(deepseekV41Layout({ effort: 75, keepsThinking: true })),
  deepseekv4_1_disable_thinking: fixed(deepseekV41Layout({ effort: "none" })),
  tml_v0: taking(EFFORT, (_, options: TmlOptions) => tmlV0Layout(options)),
} satisfies Record<string, LayoutFactory<never>>;

/** A layout that neither options nor the tokenizer change. */
function fixed(layout: Layout): LayoutFactory<NoOptions> {
  return taking(NONE, () => layout);
}

/** Refuses options that the family does not know: plain JavaScript, and a reference that was read from a file, may have any. */
function taking<Options extends object>(
  known: Readonly<Record<keyof Options & string, true>>,
  make: LayoutFactory<Options>,
): LayoutFactory<Options> {
  return (tokenizer, options) => {
    checkKnownNames(options, known, "options");
    return make(tokenizer, options);
  };
}
