import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import type { BuiltInRendererName } from "../registry/get-renderer.js";
import { inklingTokenizer } from "./inkling-tokenizer.js";
import { recordedTokenizer } from "./recorded-tokenizers.js";
import { readRecording } from "./recording.js";

/** Beginnings of names, and the recording that has the tokenizer of the family, or one with the tokens of all layouts. */
const RECORDINGS: readonly (readonly [start: string, recording: string])[] = [
  ["role_colon", "role_colon.llama3"],
  ["llama3", "llama3"],
  ["deepseekv3", "deepseekv3"],
  ["gpt_oss", "gpt_oss_no_sysprompt"],
  ["qwen3_5", "qwen3_5"],
  ["qwen3_8", "qwen3_5"],
  ["qwen3", "qwen3"],
  ["", "qwen3_5"],
];

/** A tokenizer that has the tokens which the renderer writes. */
export function anyTokenizerFor(name: BuiltInRendererName): RendererTokenizer {
  if (name === "tml_v0") return inklingTokenizer();
  const [, recording = ""] = RECORDINGS.find(([start]) => name.startsWith(start)) ?? [];
  return recordedTokenizer(readRecording(recording).tokenizer);
}
