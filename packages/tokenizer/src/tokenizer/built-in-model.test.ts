import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { applyChatTemplate } from "../chat/apply-chat-template.js";
import { loadTokenizer } from "../files/load-tokenizer.js";

describe("the tokenizer of the built-in model", async () => {
  const directory = fileURLToPath(new URL("../../../local/models/pocket-1", import.meta.url));
  const tokenizer = await loadTokenizer(directory);

  it("has one id for each byte and 8 special tokens", () => {
    expect(tokenizer.vocabularySize).toBe(264);
    expect(tokenizer.specialTokens.size).toBe(8);
    for (const text of ["Pig Latin\n", "na\u00efve \u{1f437}", "<|endoftext|>"]) {
      const ids = tokenizer.encode(text);
      expect(ids).toHaveLength(new TextEncoder().encode(text).length);
      expect(tokenizer.decode(ids)).toBe(text);
    }
  });

  it("ends texts with a token that text cannot spell", () => {
    const end = tokenizer.tokenId(tokenizer.namedTokens.eos ?? "");
    expect(end).toBe(256);
    expect(tokenizer.encode("<|endoftext|>")).not.toContain(end);
    expect(tokenizer.encode("<|endoftext|>", { allowedSpecial: "all" })).toEqual([end]);
  });

  it("has a chat template", () => {
    const { text, ids } = applyChatTemplate(tokenizer, [{ role: "user", content: "hi" }], {
      addGenerationPrompt: true,
    });
    expect(text).toBe("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
    expect(ids.filter((id) => id >= 256)).toEqual([257, 258, 257]);
  });
});
