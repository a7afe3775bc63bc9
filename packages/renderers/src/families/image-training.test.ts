import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";

const { tokenizer: recorded } = readRecording("qwen3_5");
const tokenizer = recordedTokenizer(recorded);
const answer: Message = { role: "assistant", content: "4" };
const SEEING: readonly BuiltInRendererName[] = [
  "qwen3_vl",
  "qwen3_5",
  "qwen3_5_disable_thinking",
  "qwen3_8_disable_thinking",
  "kimi_k25_disable_thinking",
];

describe.each(SEEING)("%s", (name) => {
  it("trains on all that an answer to a picture writes, as the reference does, and takes it for no reasoning", () => {
    const renderer = getRenderer(name, tokenizer, {
      imageProcessor: () => ({
        type: "image",
        format: "png",
        data: Uint8Array.of(1, 2, 3),
        expected_tokens: 2,
      }),
    });
    const picture: Message = { role: "user", content: [{ type: "image", image: "data:," }] };
    const [last, all] = (["last_assistant_message", "all_assistant_messages"] as const).map((trainOn) =>
      renderer.buildSupervisedExample([picture, answer], { trainOn }),
    );
    expect(last).toEqual(all);
    expect(last?.weights).toContain(1);
  });
});
