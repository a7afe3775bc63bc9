import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { growthOf } from "../testing/growth-of.js";
import { randomFrom } from "../testing/random-from.js";
import type { TextRange } from "../text/text-range.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import { compilePattern } from "./compile-pattern.js";
import { isLinearNatively } from "./is-linear-natively.js";
import { SplitPreTokenizer } from "./library-classes.js";
import { linearMatches } from "./linear-matcher.js";
import { patternFinder } from "./pattern-finder.js";
import { parsePattern } from "./pattern-syntax.js";

/** The patterns of the large families, by their place in tokenizer.json. */
const FAMILIES: Readonly<Record<string, string>> = {
  "GPT-2": String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  "Llama 3": String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  Qwen: String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  "Qwen 3.5": String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  "gpt-oss": String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  "DeepSeek-V3":
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
  "DeepSeek-V3, Chinese and Japanese": "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
  Kimi: String.raw`[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  Bloom: String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
  "DeepSeek-Coder": String.raw`\s?\p{L}+`,
};

/** Expressions for which trying one way after another takes time that grows with a power of the text, or worse. */
const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ["(a+)+$", "a"],
  ["(a|a)*b", "a"],
  ["(a|aa)+$", "a"],
  ["(?:a+a+)+b", "a"],
  ["a*a*a*a*b", "a"],
  [String.raw`\s+$`, " "],
  [String.raw`\s+$|\s`, " x"],
  ["(.*)(.*)(.*)x", "y"],
  [String.raw`(\w+\s?)*!`, "ab "],
  ["(?=(a+)+b)a", "a"],
  ["a(?=.*z)|a", "a"],
  ["(?!(?:a|a)+b)a", "a"],
  ["([a-z]+)*[0-9]", "az"],
  ["(x+x+)+y", "x"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["(?:a{1,50}){1,20}b", "a"],
  ["a{0,1000}b", "a"],
  ["(a?){40}a{40}", "a"],
  ["(?:a|b|ab)*c", "ab"],
  [String.raw`(?:\r?\n[ \t]*)+x`, "\n "],
];

const ALPHABET = ["a", "b", "ab", "c", "d", "x", "y", "!", " ", "\n", "\r\n", "A", "漢", "😀", "1", "'s"];

function randomText(random: () => number): string {
  const pick = () => ALPHABET[Math.floor(random() * ALPHABET.length)];
  return Array.from({ length: Math.floor(random() * 14) }, pick).join("");
}

/** The library's translation; both matchers get the same. */
function inJavaScript(source: string): RegExp {
  const config = { type: "Split", pattern: { Regex: source }, behavior: "Isolated" } as const;
  const { pattern } = new SplitPreTokenizer(config);
  if (!(pattern instanceof RegExp)) throw new Error("the library made no expression");
  return pattern;
}

const splitter = (pattern: string) => {
  const pre_tokenizer = { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false };
  const vocab = { a: 0, b: 1, " ": 2, "\n": 3, x: 4, y: 5, z: 6 };
  return createTokenizer({ tokenizer: { model: { type: "BPE", vocab, merges: [] }, pre_tokenizer } });
};

describe("the patterns of the families", () => {
  it.each(Object.entries(FAMILIES))("are linear, and run natively: %s", (_name, source) => {
    const find = patternFinder({ Regex: source });
    for (const unit of [
      "a",
      "A",
      " ",
      "\n",
      " \n",
      "\r",
      "漢",
      "'",
      "!",
      "1",
      "\u0301",
      " a",
      "A\u02b0",
      "=\r",
    ]) {
      const growth = growthOf((length) => [...find(unit.repeat(length))].length, 100_000 / unit.length);
      expect(growth, JSON.stringify(unit)).toBeLessThan(3.5);
    }
  });
});

// Texts are searched in turns by some, and a finder keeps one expression for all of them.
it.each(Object.entries(FAMILIES))("finds what matchAll does in two texts by turns: %s", (_name, source) => {
  const random = randomFrom(11);
  const find = patternFinder({ Regex: source });
  const native = inJavaScript(source);
  for (let round = 0; round < 50; round += 1) {
    const texts = [randomText(random), randomText(random)];
    const found: TextRange[][] = [[], []];
    const searches = texts.map((text) => find(text)[Symbol.iterator]());
    for (let isDone = false; !isDone; ) {
      const steps = searches.map((search) => search.next());
      for (const [at, step] of steps.entries()) if (step.done !== true) found[at]?.push(step.value);
      isDone = steps.every((step) => step.done === true);
    }
    expect(found, JSON.stringify(texts)).toEqual(
      texts.map((text) =>
        Array.from(text.matchAll(native), ({ index: start, 0: match }) => ({
          start,
          end: start + match.length,
        })),
      ),
    );
  }
});

describe("a hostile pattern", () => {
  it.each(HOSTILE)("takes linear time or is refused by name: %s", (pattern, unit) => {
    let tokenizer: ReturnType<typeof splitter>;
    try {
      tokenizer = splitter(pattern);
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      expect(String(error)).toContain(JSON.stringify(pattern).slice(1, -1));
      return;
    }
    const growth = growthOf((length) => tokenizer.encode(`${unit.repeat(length)}!`).length, 20_000);
    expect(growth).toBeLessThan(3.5);
  });

  it.each(["normalizer", "pre_tokenizer", "decoder"])("is one in a Replace of the %s too", (section) => {
    const part = { type: "Replace", pattern: { Regex: "(a+)+$" }, content: "" };
    const tokenizer = createTokenizer({
      tokenizer: {
        model: { type: "BPE", vocab: { [`${"a".repeat(200)}!`]: 0, a: 1 }, merges: [] },
        [section]:
          section === "decoder" ? part : { type: "Sequence", normalizers: [part], pretokenizers: [part] },
      },
    });
    expect(tokenizer.encode(`${"a".repeat(20_000)}!`).length).toBe(20_000);
    expect(tokenizer.decode([0])).toBe(`${"a".repeat(200)}!`);
  });

  it.each([
    ["back reference", String.raw`(a)\1`],
    ["named group", "(?<n>a)"],
    ["may be empty", "(a*)*"],
    ["look behind", "(?<=ab)c"],
    ["256 steps", "(?:(?:(?:a{1,9}b?){9}){9}){9}x"],
    ["cannot be read", "["],
    ["in one another", `${"(".repeat(200)}${")".repeat(200)}`],
    ["longer than 10000", "a".repeat(20_000)],
  ])("is refused where it is not run: %s", (why, source) => {
    expect(() => patternFinder({ Regex: source })).toThrow(ValidationError);
    expect(() => patternFinder({ Regex: source })).toThrow(why);
  });
});

describe("the matcher that takes linear time", () => {
  const PATTERNS = [
    ...HOSTILE.map(([source]) => source),
    ...Object.values(FAMILIES),
    String.raw`\bab?\b`,
    "(?:a|ab)(?:c|bcd)(?:d*)",
    "a+?b",
    "(?:a{2,3}?)+b",
    "(?<=a)b|(?<!b)a",
    "^a|b$",
    "😀+|a",
    "a?",
  ];

  it("finds what V8's does, in 200 random texts for each of the patterns", () => {
    const random = randomFrom(7);
    let compared = 0;
    for (const source of PATTERNS) {
      const native = inJavaScript(source);
      const tree = parse(native.source);
      if (tree === undefined) continue;
      for (let round = 0; round < 200; round++) {
        const text = randomText(random);
        const expected = Array.from(text.matchAll(native), (match) => [
          match.index,
          match.index + match[0].length,
        ]);
        const found = Array.from(linearMatches(compilePattern(tree, source), text), ({ start, end }) => [
          start,
          end,
        ]);
        expect(found, `${source} in ${JSON.stringify(text)}`).toEqual(expected);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(200 * (PATTERNS.length - 6));
  });

  it("is the one for patterns without a proof that V8's will do", () => {
    for (const [source] of HOSTILE) {
      const tree = parse(inJavaScript(source).source);
      if (tree !== undefined) expect(isLinearNatively(tree), source).toBe(false);
    }
  });

  function parse(source: string) {
    try {
      const tree = parsePattern(source);
      compilePattern(tree, source);
      return tree;
    } catch {
      return undefined;
    }
  }
});

// tokenizers 0.23.3 with Oniguruma: letters without regard to case fold as Unicode has it, of ASCII letters s and k.
it.each([
  ["(?i:'s|'t)", "it's it'S it'\u017f it't", ["'s", "'S", "'\u017f", "'t"]],
  ["(?i:k)", "kK\u212as", ["k", "K", "\u212a"]],
  ["[sS]|k", "s\u017fk\u212a", ["s", "k"]],
])("folds letters as Oniguruma does: %s", (Regex, text, found) => {
  expect(Array.from(patternFinder({ Regex })(text), ({ start, end }) => text.slice(start, end))).toEqual(
    found,
  );
});

// Characters of Unicode 17, which Oniguruma and Rust's regex do not know: no letters, no digits, but signs.
it.each([
  [String.raw`\p{L}+`, "a\u{16ea0}b\u{1e6c0}", ["a", "b"]],
  [String.raw`\p{N}`, "1\u{11de0}", ["1"]],
  [String.raw`[^\s\p{L}\p{N}]+`, "a\u{11de0}\ua7ceb", ["\u{11de0}\ua7ce"]],
  [String.raw`\p{Ll}`, "\u0295", ["\u0295"]],
])("has the classes of Unicode 16: %s", (Regex, text, found) => {
  expect(Array.from(patternFinder({ Regex })(text), ({ start, end }) => text.slice(start, end))).toEqual(
    found,
  );
});
