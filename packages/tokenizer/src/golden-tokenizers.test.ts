import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadTokenizer } from "./load-tokenizer.js";

/** What Python's `tokenizers` 0.23.3 makes of many texts and id lists. Null stands for "as the field before". */
interface GoldenEncodings {
  readonly vocab_size_with_added: number;
  readonly add_special_tokens_prefix: readonly number[];
  readonly strings: readonly {
    readonly name: string;
    readonly text: string;
    readonly ids: readonly number[];
    readonly decode: string | null;
    readonly decode_skip_special: string | null;
  }[];
  readonly lone_surrogates: readonly {
    readonly name: string;
    readonly text: string;
    readonly repaired_ids: number[];
  }[];
  readonly decode: readonly {
    readonly name: string;
    readonly ids: readonly number[];
    readonly decode?: string;
    readonly decode_skip_special?: string;
    readonly prefix_decodes?: readonly string[];
  }[];
}

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

describe.each([{ name: "tiny", directory: `${fixtures}/tiny` }])(
  "$name against Python",
  async ({ name, directory }) => {
    const golden: GoldenEncodings = JSON.parse(readFileSync(`${fixtures}/${name}/encode.json`, "utf8"));
    const tokenizer = await loadTokenizer(directory);

    it("has as many tokens", () => {
      expect(tokenizer.vocabularySize).toBe(golden.vocab_size_with_added);
    });

    it.each(golden.strings)(
      "encodes and decodes: $name",
      ({ text, ids, decode, decode_skip_special: skipped }) => {
        expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
        expect(tokenizer.decode(ids)).toBe(decode ?? text);
        expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(skipped ?? decode ?? text);
      },
    );

    it("puts the same special tokens around a text", () => {
      const ids = tokenizer.encode("a b");
      expect(tokenizer.encode("a b", { addSpecialTokens: true })).toEqual([
        ...golden.add_special_tokens_prefix,
        ...ids,
      ]);
    });

    it.each(golden.lone_surrogates)(
      "encodes half a character as U+FFFD: $name",
      ({ text, repaired_ids: ids }) => {
        expect(tokenizer.encode(text, { allowedSpecial: "all" })).toEqual(ids);
      },
    );

    it.each(golden.decode)("decodes ids that are no whole text: $name", (recorded) => {
      if (recorded.prefix_decodes !== undefined) {
        const texts = recorded.ids.map((_, index) => tokenizer.decode(recorded.ids.slice(0, index + 1)));
        expect(texts).toEqual(recorded.prefix_decodes);
        return;
      }
      expect(tokenizer.decode(recorded.ids)).toBe(recorded.decode);
      expect(tokenizer.decode(recorded.ids, { skipSpecialTokens: true })).toBe(recorded.decode_skip_special);
    });
  },
);
