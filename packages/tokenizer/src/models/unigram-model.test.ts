import { describe, expect, it } from "vitest";
import { Unigram, WordPiece } from "../testing/library-models.js";
import { randomFrom } from "../testing/random-from.js";
import { createUnigramModel } from "./unigram-model.js";
import { createWordPieceModel } from "./word-piece-model.js";

const random = randomFrom(11);
const ALPHABET = ["a", "b", "c", "é", "漢", "😀", "▁"];
const text = (most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => ALPHABET[Math.floor(random() * 7)]).join("");
const texts = (count: number, most: number) => [...new Set(Array.from({ length: count }, () => text(most)))];

describe("Unigram", () => {
  it("gives the library's ids for 2,000 words of random vocabularies", () => {
    for (let round = 0; round < 50; round++) {
      const vocab: [string, number][] = [
        ["<unk>", 0],
        ...texts(30, 4).map((token): [string, number] => [token, -random() * 20]),
      ];
      const library = new Unigram({ type: "Unigram", vocab, unk_id: 0 }, "</s>");
      const own = createUnigramModel({ type: "Unigram", vocab, unk_id: 0 });
      for (const word of texts(40, 12)) {
        const expected = library([word]).map((token) => library.tokens_to_ids.get(token) ?? 0);
        expect(own?.ids(word), `${word} ${JSON.stringify(vocab)}`).toEqual(expected);
      }
    }
  });

  it("falls back to bytes where each has a token, and else to the unknown token", () => {
    const bytes = Array.from(new TextEncoder().encode("é"), (byte): [string, number] => [
      `<0x${byte.toString(16).toUpperCase()}>`,
      -9,
    ]);
    const model = createUnigramModel({
      type: "Unigram",
      vocab: [["<unk>", 0], ["a", -1], ...bytes],
      unk_id: 0,
      byte_fallback: true,
    });
    expect(model?.ids("aéa")).toEqual([1, 2, 3, 1]);
    expect(model?.ids("a漢a")).toEqual([1, 0, 1]);
  });
});

describe("WordPiece", () => {
  it("gives the library's ids for 2,000 words of random vocabularies", () => {
    for (let round = 0; round < 50; round++) {
      const tokens = ["[UNK]", ...texts(20, 3), ...texts(20, 3).map((token) => `##${token}`)];
      const config = {
        type: "WordPiece",
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 9,
      } as const;
      const library = new WordPiece(config);
      const own = createWordPieceModel(config);
      for (const word of texts(40, 10)) {
        const expected = library([word]).map((token) => library.tokens_to_ids.get(token));
        expect(own?.ids(word), word).toEqual(expected);
      }
    }
  });
});
