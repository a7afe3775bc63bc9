import { expect, it } from "vitest";
import { getRenderer } from "../get-renderer.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";
import { walkRecording } from "../testing/walk-recording.js";

for (const name of ["deepseekv3", "deepseekv3_thinking"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}

it("shows later system messages as a user's where asked to", () => {
  const tokenizer = recordedTokenizer(readRecording("deepseekv3").tokenizer);
  const renderer = getRenderer("deepseekv3", tokenizer, { systemAsUser: true });
  const { chunks } = renderer.buildGenerationPrompt([
    { role: "user", content: "Hi" },
    { role: "system", content: "Be kind." },
  ]);
  const ids = chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []));
  expect(tokenizer.decode(ids)).toBe(
    "<｜begin▁of▁sentence｜><｜User｜>Hi<｜User｜>Be kind.<｜Assistant｜></think>",
  );
});
