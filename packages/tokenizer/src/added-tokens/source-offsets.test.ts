import { describe, expect, it } from "vitest";
import { randomFrom } from "../testing/random-from.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import { SourceOffsets } from "./source-offsets.js";

type Normalize = (text: string) => string;

const NORMALIZERS: readonly (readonly [string, Normalize])[] = [
  ["joins characters", (text) => text.normalize("NFC")],
  ["takes them apart", (text) => text.normalize("NFKD")],
  ["makes letters small", (text) => text.toLowerCase()],
  ["makes more of a letter", (text) => text.replaceAll("a", "aaa")],
  ["puts something in front", (text) => (text === "" ? "" : `_${text}`)],
  ["cuts off white space", (text) => text.trim()],
  ["joins white space", (text) => text.replaceAll(/ +/g, " ")],
  ["drops letters", (text) => text.replaceAll("x", "")],
  [
    "keeps the first of a letter in the whole text alone",
    (text) => text.replaceAll("x", (x, at) => (at === text.indexOf("x") ? x : "")),
  ],
];

/** The range by its definition: the shortest beginnings of the text that give so many normalised units. */
function rangeByDefinition(text: string, start: number, end: number, normalize: Normalize) {
  const unitsFor = (length: number) => {
    let units = 0;
    while (units < text.length && normalize(text.slice(0, units)).length < length) units += 1;
    return units;
  };
  return { start: Math.max(0, unitsFor(start + 1) - 1), end: unitsFor(end) };
}

it("gives the same range where the normaliser changes nothing", () => {
  const offsets = new SourceOffsets("a<b>c", "a<b>c", (text) => text);
  expect(offsets.rangeOf({ start: 1, end: 4 })).toEqual({ start: 1, end: 4 });
});

it.each([
  ["joins characters", "e\u0301e\u0301<b>", (text: string) => text.normalize("NFC")],
  ["takes them apart", "\u00e9\u00e9<b>c", (text: string) => text.normalize("NFD")],
  ["changes the token", "ab<B>c", (text: string) => text.toLowerCase().replaceAll("a", "aaa")],
  ["puts something in front", "<b>c", (text: string) => (text === "" ? "" : `_${text}`)],
  ["cuts off", "  x<b>", (text: string) => text.trimStart()],
])("finds a token where the normaliser %s", (_name, text, normalize) => {
  const normalized = normalize(text);
  const at = normalized.indexOf("<b>");
  const { start, end } = new SourceOffsets(text, normalized, normalize).rangeOf({ start: at, end: at + 3 });
  expect(text.slice(start, end).toLowerCase()).toBe("<b>");
});

describe.each(NORMALIZERS)("of a normaliser that %s", (_name, normalize) => {
  const random = randomFrom(7);
  const parts = [
    "a",
    "E",
    "e\u0301",
    "\u00e9",
    "\ufb01",
    "\u{1f600}",
    " ",
    "   ",
    "x",
    "(",
    ")",
    "\uff8a\uff9e",
  ];
  /** Texts of ASCII letters between tokens, so that the definition has one answer for every token. */
  const textOf = (length: number) =>
    Array.from({ length }, () =>
      random() < 0.2 ? ".<b>." : (parts[Math.floor(random() * parts.length)] ?? ""),
    ).join("");

  it("finds every token where the definition does", () => {
    for (const length of [3, 40, 400]) {
      const text = textOf(length);
      const normalized = normalize(text);
      const offsets = new SourceOffsets(text, normalized, normalize);
      for (let at = normalized.indexOf("<b>"); at !== -1; at = normalized.indexOf("<b>", at + 1)) {
        expect(offsets.rangeOf({ start: at, end: at + 3 })).toEqual(
          rangeByDefinition(text, at, at + 3, normalize),
        );
      }
    }
  });

  it("normalises in linear measure, however many tokens there are", () => {
    const unitsOf = (count: number) => {
      const text = "E\u0301a\ufb01 x  .<b>. ".repeat(count);
      let units = 0;
      const counting: Normalize = (piece) => {
        units += piece.length;
        return normalize(piece);
      };
      const normalized = normalize(text);
      const offsets = new SourceOffsets(text, normalized, counting);
      for (let at = normalized.indexOf("<b>"); at !== -1; at = normalized.indexOf("<b>", at + 1)) {
        offsets.rangeOf({ start: at, end: at + 3 });
      }
      return units;
    };
    expect(unitsOf(4_000) / unitsOf(1_000)).toBeLessThan(5);
  });
});

describe("a normaliser that no window follows", () => {
  // Each closing bracket, however far away, changes the beginning.
  const normalize: Normalize = (text) => `${text.split(")").length}${text.replaceAll(")", "")}`;
  const text = "a<b>)".repeat(20_000);

  it("is asked within a bound, and then all of the text is given", () => {
    let units = 0;
    const normalized = normalize(text);
    const offsets = new SourceOffsets(text, normalized, (piece) => {
      units += piece.length;
      return normalize(piece);
    });
    const ranges = [];
    for (let at = normalized.indexOf("<b>"); at !== -1; at = normalized.indexOf("<b>", at + 1)) {
      ranges.push(offsets.rangeOf({ start: at, end: at + 3 }));
    }
    expect(units).toBeLessThan(100 * text.length + 2_000_000);
    expect(ranges.at(-1)).toEqual({ start: 0, end: text.length });
  });
});

it("keeps what people spell out text in a chat of thousands of tokens", () => {
  const tokenizer = createTokenizer({
    tokenizer: {
      model: { type: "BPE", vocab: { a: 0 }, merges: [] },
      normalizer: { type: "Lowercase" },
      added_tokens: [{ id: 9, content: "<b>", special: true, normalized: true }],
    },
  });
  const chat = "A<B>".repeat(3_000);
  const literalOffsets = new Set([1, chat.length - 3]);
  const ids = tokenizer.encode(chat, { allowedSpecial: "all", literalOffsets });
  expect(ids.filter((id) => id === 9)).toHaveLength(2_998);
});
