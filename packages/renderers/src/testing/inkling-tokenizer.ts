import { createTokenizer } from "@tinkex/tokenizer";
import type { RendererTokenizer } from "../pieces/renderer-tokenizer.js";
import { recordedTokenizerJson } from "./recorded-tokenizers.js";
import { readRecording } from "./recording.js";

/** Special tokens of Inkling that have a name, as tml-renderers 0.2.1 numbers them behind the ranks of gpt-oss. */
const TOKENS: Readonly<Record<string, number>> = {
  endoftext: 199999,
  message_user: 200000,
  message_model: 200001,
  message_system: 200002,
  message_tool: 200003,
  content_text: 200004,
  content_image: 200005,
  content_model_end_sampling: 200006,
  content_thinking: 200008,
  end_message: 200010,
  content_audio_input: 200020,
  content_tool_error: 200022,
  audio: 200023,
  content_xml: 200024,
  begin_of_text: 200028,
  audio_end: 200043,
  content_invoke_tool_json: 200049,
  content_invoke_tool_text: 200057,
};

let loaded: RendererTokenizer | undefined;

/** The tokenizer of Inkling models: that of gpt-oss with other special tokens. */
export function inklingTokenizer(): RendererTokenizer {
  const { tokenizer } = readRecording("gpt_oss_no_sysprompt");
  const added_tokens = Object.entries(TOKENS).map(([name, id]) => ({
    content: `<|${name}|>`,
    id,
    special: true,
  }));
  loaded ??= createTokenizer({ tokenizer: { ...recordedTokenizerJson(tokenizer), added_tokens } });
  return loaded;
}
