import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTokenizer } from "./load-tokenizer.js";
import { recordedEncodings, recordedTokenizers } from "./testing/recorded-tokenizers.js";

describe.each(recordedTokenizers)("$name against Python", async ({ name, directory }) => {
  const recorded = recordedEncodings(name);
  const tokenizer = await loadTokenizer(directory);

  it.each(Object.entries(recorded.files))("reads the same %s", (file, { sha256 }) => {
    expect(
      createHash("sha256")
        .update(readFileSync(join(directory, file)))
        .digest("hex"),
    ).toBe(sha256);
  });

  it("has as many tokens", () => {
    expect(tokenizer.vocabularySize).toBe(recorded.vocab_size_with_added);
  });

  it.each(recorded.strings)(
    "encodes and decodes: $name",
    ({ text, ids, decode, decode_skip_special: skipped }) => {
      expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(decode ?? text);
      expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(skipped ?? decode ?? text);
    },
  );

  it("puts the same special tokens around a text", () => {
    const ids = [...recorded.add_special_tokens_prefix, ...tokenizer.encode("a b")];
    expect(tokenizer.encode("a b", { addSpecialTokens: true })).toEqual(ids);
  });

  it.each(recorded.lone_surrogates)(
    "encodes half a character as U+FFFD: $name",
    ({ text, repaired_ids: ids }) => {
      expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
    },
  );

  it.each(recorded.decode)("decodes ids that are no whole text: $name", (entry) => {
    if (entry.prefix_decodes !== undefined) {
      const texts = entry.ids.map((_, index) => tokenizer.decode(entry.ids.slice(0, index + 1)));
      expect(texts).toEqual(entry.prefix_decodes);
      return;
    }
    expect(tokenizer.decode(entry.ids)).toBe(entry.decode);
    expect(tokenizer.decode(entry.ids, { skipSpecialTokens: true })).toBe(entry.decode_skip_special);
  });
});
