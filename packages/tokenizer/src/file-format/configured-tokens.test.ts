import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { loadTokenizer } from "../files/load-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";

/** Recorded by `fixtures/settings/record.py` with transformers 5.24.0. */
interface Recorded {
  readonly tokenizer: object;
  readonly directories: readonly {
    readonly name: string;
    readonly files: Readonly<Record<string, object>>;
    readonly addedTokens: Readonly<Record<string, number>>;
    readonly specialTokens: readonly string[];
    readonly named: Readonly<Record<string, string>>;
    readonly size: number;
    readonly text: string;
    readonly ids: readonly number[];
    readonly withSpecialTokens: readonly number[];
    readonly decoded: string;
    readonly skipped: string;
    readonly tokens: Readonly<Record<string, readonly number[]>>;
  }[];
}

const recorded: Recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/settings/recorded.json", import.meta.url), "utf8"),
);

async function load(files: Readonly<Record<string, object>>): Promise<TextTokenizer> {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries({ "tokenizer.json": recorded.tokenizer, ...files })) {
    await writeFile(join(directory, name), JSON.stringify(content));
  }
  return loadTokenizer(directory);
}

// microsoft/onnxruntime-extensions#890: tokens that only tokenizer_config.json has. huggingface/transformers#23909: added_tokens_decoder.
describe("settings beside tokenizer.json are those of AutoTokenizer", () => {
  it.each(recorded.directories)("$name", async (directory) => {
    const tokenizer = await load(directory.files);
    expect(Object.fromEntries(tokenizer.addedTokens)).toEqual(directory.addedTokens);
    expect([...tokenizer.specialTokens.keys()].sort()).toEqual([...directory.specialTokens].sort());
    expect(tokenizer.namedTokens).toEqual(directory.named);
    expect(tokenizer.vocabularySize).toBe(directory.size);
    const all = { allowedSpecial: "all" } as const;
    expect(tokenizer.encode(directory.text, all)).toEqual(directory.ids);
    for (const [text, ids] of Object.entries(directory.tokens)) {
      expect(tokenizer.encode(text, all), text).toEqual(ids);
    }
    expect(tokenizer.encode("ab", { addSpecialTokens: true })).toEqual(directory.withSpecialTokens);
    expect(tokenizer.decode(directory.ids)).toBe(directory.decoded);
    // Python does not skip a special token whose normalised spelling is another, see docs/decisions/004.
    if (!directory.text.includes("<X>")) {
      expect(tokenizer.decode(directory.ids, { skipSpecialTokens: true })).toBe(directory.skipped);
    }
  });
});

it("keeps a user's text text where a token comes from the config alone", async () => {
  const tokenizer = await load({ "tokenizer_config.json": { additional_special_tokens: ["<|one|>"] } });
  expect(tokenizer.encode("<|one|>").length).toBe(7);
  expect(tokenizer.encode("<|one|>", { allowedSpecial: ["<|one|>"] })).toEqual([42]);
  expect(tokenizer.decode([42])).toBe("<|one|>");
});

// huggingface/transformers: tokenization_utils_base.py, extra_special_tokens as an object or an array beside the older name.
describe("a token that the files name more than once", () => {
  const config = (settings: object) => load({ "tokenizer_config.json": settings });
  const all = { allowedSpecial: "all" } as const;

  it("counts under the older name, too, where the newer one is an object of purposes", async () => {
    const additional_special_tokens = ["<|one|>"];
    const both = { additional_special_tokens, extra_special_tokens: { image_token: "<|img|>" } };
    expect([...(await config(both)).specialTokens.keys()]).toEqual(
      expect.arrayContaining(["<|one|>", "<|img|>"]),
    );
    const list = { additional_special_tokens, extra_special_tokens: ["<|img|>"] };
    expect((await config(list)).specialTokens.has("<|one|>")).toBe(false);
    const empty = { additional_special_tokens, extra_special_tokens: {} };
    expect((await config(empty)).specialTokens.has("<|one|>")).toBe(true);
  });

  it("has the flags that it was given last", async () => {
    const cls_token = { content: "<t>", single_word: true };
    const once = await config({ cls_token });
    const id = once.tokenId("<t>");
    expect(once.encode("a<t>b", all)).not.toContain(id);
    const twice = await config({ cls_token, extra_special_tokens: { image_token: "<t>" } });
    expect(twice.tokenId("<t>")).toBe(id);
    expect(twice.encode("a<t>b", all)).toContain(id);
  });

  it("stays special when it is listed as a plain one later", async () => {
    const listed = { content: "<t>", special: true };
    const tokenizer = await config({ added_tokens_decoder: { 60: listed, 61: { content: "<t>" } } });
    expect(tokenizer.specialTokens.has("<t>")).toBe(true);
    const ids = tokenizer.encode("<t>", all);
    expect(ids).toHaveLength(1);
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe("");
    const [known = ""] = (await load({})).specialTokens.keys();
    const again = await load({ "added_tokens.json": { [known]: 70 } });
    expect(again.specialTokens.has(known)).toBe(true);
  });
});

// huggingface/transformers: tokenization_utils_base.py, _from_pretrained; the results are those of transformers 5.24.
describe("settings that stand in several files", () => {
  const plain = { __type: "AddedToken", content: "<n>", special: false, normalized: false };

  it("have the padding token of tokenizer.json, unless another is named", async () => {
    const padding = { pad_token: "<|pad|>" };
    const tokenizer = await load({ "tokenizer.json": { ...recorded.tokenizer, padding } });
    expect([tokenizer.namedTokens.pad, tokenizer.tokenId("<|pad|>")]).toEqual(["<|pad|>", 42]);
    const other = { "tokenizer_config.json": { pad_token: "<|end|>" } };
    const named = await load({ "tokenizer.json": { ...recorded.tokenizer, padding }, ...other });
    expect([named.namedTokens.pad, named.tokenId("<|pad|>")]).toEqual(["<|end|>", undefined]);
  });

  it.each<[string, Readonly<Record<string, object>>, Readonly<Record<string, number>>, readonly string[]]>([
    ["an id that two files name", { "added_tokens.json": { "<tool>": 41, "<p>": 60 } }, { "<p>": 42 }, []],
    ["a plain token with a purpose", { "tokenizer_config.json": { cls_token: "<think>" } }, {}, ["<think>"]],
    [
      "the same beside a list of tokens",
      { "tokenizer_config.json": { cls_token: "<think>", added_tokens_decoder: {} } },
      {},
      [],
    ],
    [
      "a token of the model alone in the map",
      { "special_tokens_map.json": { audio_token: "<a>" } },
      { "<a>": 42 },
      ["<a>"],
    ],
    [
      "a token of the model alone as an object",
      { "tokenizer_config.json": { image_token: { ...plain, special: true } } },
      { "<n>": 42 },
      ["<n>"],
    ],
    [
      "a token of a list that says it is not special",
      { "tokenizer_config.json": { additional_special_tokens: [plain] } },
      { "<n>": 42 },
      [],
    ],
    [
      "lists in both files",
      {
        "tokenizer_config.json": { extra_special_tokens: ["<1>"] },
        "special_tokens_map.json": { extra_special_tokens: ["<2>"] },
      },
      { "<1>": 42, "<2>": 43 },
      ["<1>", "<2>"],
    ],
    [
      "the older name in the map beside the newer in the config",
      {
        "tokenizer_config.json": { extra_special_tokens: ["<1>"] },
        "special_tokens_map.json": { additional_special_tokens: ["<2>"] },
      },
      { "<1>": 42 },
      ["<1>"],
    ],
  ])("have %s as AutoTokenizer has it", async (_, files, added, special) => {
    const tokenizer = await load(files);
    expect(Object.fromEntries(tokenizer.addedTokens)).toEqual({ "<|end|>": 40, "<think>": 41, ...added });
    expect([...tokenizer.specialTokens.keys()].sort()).toEqual([...special, "<|end|>"].sort());
  });
});
