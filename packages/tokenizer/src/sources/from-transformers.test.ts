import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Tokenizer as EngineTokenizer } from "@huggingface/tokenizers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordedEncodings } from "../testing/recorded-tokenizers.js";
import { runSource } from "../testing/run-source.js";
import { fromTransformers, type TransformersModule } from "./from-transformers.js";

// The package is optional for us too: it weighs half a gigabyte.
const name: string = "@huggingface/transformers";
const transformers = await import(name).catch(() => undefined);
const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

// In a process of its own: the test runner answers for optional packages itself.
it.skipIf(transformers !== undefined)("says how to install the package where it is missing", async () => {
  const printed = await runSource(
    fileURLToPath(new URL("../testing/load-from-transformers.ts", import.meta.url)),
  );
  expect(printed).toMatch(
    /^missing_dependency: .*is not installed; install it: npm install @huggingface\/transformers\n$/,
  );
});

it.runIf(transformers !== undefined)("encodes and decodes as Python through the package", async () => {
  transformers.env.allowRemoteModels = false;
  transformers.env.localModelPath = fixtures;
  const tokenizer = await fromTransformers()({ id: "tiny" });
  for (const { text, ids, decode } of recordedEncodings("tiny").strings) {
    expect(tokenizer?.encode(text)).toEqual(ids);
    expect(tokenizer?.decode(ids)).toBe(decode ?? text);
  }
});

describe("a tokenizer of the package's shape", async () => {
  const asked: unknown[] = [];
  /** What the package puts around the engine that it and we have in common. */
  const module: TransformersModule = {
    AutoTokenizer: {
      async from_pretrained(id, options) {
        asked.push([id, options]);
        const json = async (file: string) => JSON.parse(await readFile(join(fixtures, id, file), "utf8"));
        const engine = new EngineTokenizer(await json("tokenizer.json"), await json("tokenizer_config.json"));
        return {
          encode: (text, encoding) => engine.encode(text, encoding).ids,
          decode: (ids, decoding) => engine.decode(ids, decoding),
          get_vocab: () => engine.get_vocab(true),
        };
      },
    },
  };
  const source = fromTransformers(async () => module);
  const tokenizer = await source({ id: "tiny" });
  const recorded = recordedEncodings("tiny");

  it("encodes and decodes as Python", () => {
    expect(tokenizer?.vocabularySize).toBe(recorded.vocab_size_with_added);
    for (const { text, ids, decode, decode_skip_special: skipped } of recorded.strings) {
      expect(tokenizer?.encode(text)).toEqual(ids);
      expect(tokenizer?.decode(ids)).toBe(decode ?? text);
      expect(tokenizer?.decode(ids, { skipSpecialTokens: true })).toBe(skipped ?? decode ?? text);
    }
  });

  it("leaves out ids that it does not know, and gives the empty text for none", () => {
    const [id = -1] = tokenizer?.encode("a") ?? [];
    expect(tokenizer?.tokenId("a")).toBe(id);
    expect(tokenizer?.tokenId("no such token")).toBeUndefined();
    expect(tokenizer?.decode(Int32Array.of(99_999, id, -1))).toBe("a");
    expect(tokenizer?.decode([])).toBe("");
    expect(tokenizer?.decode([99_999])).toBe("");
  });

  it("is loaded at the revision asked for", async () => {
    asked.length = 0;
    await source({ id: "tiny", revision: "v2" });
    await source({ id: "tiny" });
    expect(asked).toEqual([
      ["tiny", { revision: "v2" }],
      ["tiny", {}],
    ]);
  });
});

describe("a package that is there and cannot be loaded", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinkex-transformers-"));
    await writeFile(join(folder, "main.mjs"), `export const load = () => import("${name}");`);
    await mkdir(join(folder, "node_modules", name), { recursive: true });
    await writeFile(join(folder, "node_modules", name, "package.json"), '{ "exports": "./index.mjs" }');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each([
    [
      "lacks a package of its own",
      'import "its-engine";',
      /cannot be loaded: Cannot find package 'its-engine'/,
    ],
    ["throws", 'throw new Error("no such processor");', /cannot be loaded: no such processor/],
  ])("because it %s is not said to be missing", async (_why, code, message) => {
    await writeFile(join(folder, "node_modules", name, "index.mjs"), code);
    const main = await import(pathToFileURL(join(folder, "main.mjs")).href);
    const load = fromTransformers(main.load)({ id: "org/model" });
    await expect(load).rejects.toThrow(message);
    await expect(load).rejects.not.toThrow(/npm install/);
    await expect(load).rejects.toHaveProperty("code", "missing_dependency");
  });
});
