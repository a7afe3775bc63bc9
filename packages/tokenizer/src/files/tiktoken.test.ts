import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { createStreamDecoder } from "../tokenizer/stream-decoder.js";
import { loadTokenizer } from "./load-tokenizer.js";

const fixture = fileURLToPath(new URL("../../fixtures/tiktoken/", import.meta.url));
/** Recorded by `fixtures/tiktoken/record.py` with tiktoken 0.14 and the pattern of moonshotai/Kimi-K2.5. */
const recorded: {
  readonly contexts: readonly string[];
  readonly texts: readonly {
    readonly pieces: readonly (readonly [unit: string, times: number])[];
    readonly ids: readonly number[];
    readonly plain: readonly number[];
  }[];
  readonly parts: readonly string[];
  readonly blocks: readonly (readonly [start: number, step: number, hash: string])[];
} = JSON.parse(readFileSync(join(fixture, "recorded.json"), "utf8"));

const tokenizer = await loadTokenizer(fixture);
/** Many ids as their number and a sum in which each counts by its place. */
const brief = (ids: readonly number[]) =>
  ids.length <= 400 ? ids : [ids.length, ids.reduce((sum, id, at) => sum + id * (1 + (at % 1013)), 0)];

// smg-project/smg#1482: Kimi's own pattern, and its 256 special tokens of which few have a name.
describe("Kimi's tiktoken.model", () => {
  it.each(recorded.texts.map((row) => ({ ...row, name: JSON.stringify(row.pieces).slice(0, 60) })))(
    "gives the ids of Python's tiktoken: $name",
    ({ pieces, ids, plain }) => {
      const text = pieces.map(([unit, times]) => unit.repeat(times)).join("");
      const found = tokenizer.encode(text, { allowedSpecial: "all" });
      expect(brief(found)).toEqual(ids);
      expect(tokenizer.decode(found)).toBe(text);
      // A plain added token becomes its id wherever it stands, as with every tokenizer here.
      if (!text.includes("<think>")) expect(brief(tokenizer.encode(text))).toEqual(plain);
    },
  );

  it("has every character in the class of tiktoken's matcher", () => {
    const isAll = process.env.TINKEX_ALL_CODE_POINTS === "1";
    const differing = recorded.blocks
      .filter(([start, step, expected], index) => {
        if (!isAll && start !== 0 && index % 17 !== 0) return false;
        const hash = createHash("sha1");
        const end = start + (start >= 0x20000 ? 0x4000 : 0x400);
        for (let point = start; point < end; point += step) {
          if (point >= 0xd800 && point <= 0xdfff) continue;
          const character = String.fromCodePoint(point);
          const text = recorded.contexts.map((context) => context.replaceAll("{}", character)).join("|");
          hash.update(`${tokenizer.encode(text).join(",")}\n`);
        }
        return hash.digest("hex").slice(0, 8) !== expected;
      })
      .map(([start]) => start.toString(16));
    expect(differing).toEqual([]);
  });

  it("has 256 special tokens behind the ranks, named ones among them", () => {
    expect(tokenizer.vocabularySize).toBe(600 + 256);
    expect(tokenizer.tokenId("[BOS]")).toBe(600);
    expect(tokenizer.tokenId("<|reserved_token_855|>")).toBe(855);
    expect(tokenizer.namedTokens).toEqual({ bos: "[BOS]", eos: "[EOS]" });
    expect(tokenizer.specialTokens.has("<|im_end|>")).toBe(true);
    expect(tokenizer.specialTokens.has("<think>")).toBe(false);
    expect(tokenizer.encode("<|im_end|>").every((id) => id < 600)).toBe(true);
  });

  it("decodes bytes that are no characters as Python does, also one by one", () => {
    const [half, mixed] = recorded.parts;
    const byteIds = new Map(
      Array.from({ length: 256 }, (_, id): [number, number] => [tokenizer.tokenBytes?.(id)[0] ?? -1, id]),
    );
    const idOf = (byte: number) => byteIds.get(byte) ?? -1;
    expect(tokenizer.decode([idOf(0xe4), idOf(0xb8)])).toBe(half);
    expect(tokenizer.decode([idOf(0xff), 602, idOf(0x61)])).toBe(mixed);
    const stream = createStreamDecoder(tokenizer);
    expect([0xe4, 0xb8, 0xad].map((byte) => stream.push(idOf(byte)))).toEqual(["", "", "\u4e2d"]);
  });
});

describe("a tiktoken.model that is none", () => {
  let directory: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    await cp(fixture, directory, { recursive: true });
  });

  it.each([
    [
      "a line without an id",
      (text: string) => text.replace(" 300\n", "\n"),
      /line 301 .* must be a token in base64/,
    ],
    [
      "an id that stands there twice",
      (text: string) => text.replace(" 300\n", " 301\n"),
      /line 302 .* an id below 600/,
    ],
    [
      "an id with a gap before it",
      (text: string) => text.replace(" 599\n", " 600\n"),
      /line 600 .* an id below 600/,
    ],
    ["a token that is no base64", (text: string) => text.replace(/^\S+/, "??=="), /line 1 /],
    [
      "a token that stands there twice",
      (text: string) => `${text}IQ== 600\n`,
      /line 601 .* in a line before/,
    ],
    ["half of it", (text: string) => text.slice(0, 600), /line \d+ |must have a token for each byte/],
    ["nothing", () => "", /must have a token for each byte, got none for 0/],
  ])("is refused by its line: %s", async (_name, change, message) => {
    const path = join(directory, "tiktoken.model");
    await writeFile(path, change(await readFile(path, "utf8")));
    await expect(loadTokenizer(directory)).rejects.toThrow(ValidationError);
    await expect(loadTokenizer(directory)).rejects.toThrow(message);
  });

  // openai/tiktoken: tiktoken/load.py, load_tiktoken_bpe, which keeps a dictionary and splits at white space.
  it.each<[string, (lines: string[]) => string]>([
    ["lines in another order", (lines) => lines.reverse().join("\n")],
    ["line breaks of another system", (lines) => lines.join("\r\n")],
    ["empty lines", (lines) => `\n${lines.join("\n\n")}\n\n`],
    ["tabs and more spaces", (lines) => lines.map((line) => ` ${line.replace(" ", "\t ")} `).join("\n")],
  ])("is one all the same with %s", async (_, change) => {
    const path = join(directory, "tiktoken.model");
    await writeFile(path, change((await readFile(path, "utf8")).trimEnd().split("\n")));
    const text = "Hello, 123 \u4e2d\u6587 world";
    expect((await loadTokenizer(directory)).encode(text)).toEqual(tokenizer.encode(text));
  });

  it.each([
    ["no config", undefined],
    ["no code", "{}"],
    ["other code", '{"auto_map": {"AutoTokenizer": ["tokenization_other.Tokenizer", null]}}'],
  ])("is refused where its pattern is not known: %s", async (_name, config) => {
    const path = join(directory, "tokenizer_config.json");
    if (config === undefined) await rm(path);
    else await writeFile(path, config);
    await expect(loadTokenizer(directory)).rejects.toThrow(/must name tokenization_kimi\.TikTokenTokenizer/);
  });
});
