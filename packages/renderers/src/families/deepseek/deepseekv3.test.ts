import { expect, it } from "vitest";
import { getRenderer } from "../../registry/get-renderer.js";
import { idsOf } from "../../testing/ids-of.js";
import { recordedTokenizer } from "../../testing/recorded-tokenizers.js";
import { readRecording } from "../../testing/recording.js";
import { walkRecording } from "../../testing/walk-recording.js";

for (const name of ["deepseekv3", "deepseekv3_thinking"] as const) {
  walkRecording(name, (tokenizer) => getRenderer(name, tokenizer));
}

it("shows later system messages as a user's where asked to", () => {
  const tokenizer = recordedTokenizer(readRecording("deepseekv3").tokenizer);
  const renderer = getRenderer("deepseekv3", tokenizer, { systemAsUser: true });
  const prompt = renderer.buildGenerationPrompt([
    { role: "user", content: "Hi" },
    { role: "system", content: "Be kind." },
  ]);
  expect(tokenizer.decode(idsOf(prompt))).toBe(
    "<｜begin▁of▁sentence｜><｜User｜>Hi<｜User｜>Be kind.<｜Assistant｜></think>",
  );
});
