import { fileURLToPath } from "node:url";
import { TinkexError } from "@tinkex/types";
import { expect, it } from "vitest";
import { fromTransformers } from "./from-transformers.js";
import { recordedEncodings } from "./testing/recorded-tokenizers.js";

// The package is optional for us too: it weighs half a gigabyte.
const name: string = "@huggingface/transformers";
const transformers = await import(name).catch(() => undefined);

it.skipIf(transformers !== undefined)("says how to install the package where it is missing", async () => {
  const load = fromTransformers()({ id: "org/model" });
  await expect(load).rejects.toThrow(TinkexError);
  await expect(load).rejects.toThrow("npm install @huggingface/transformers");
  await expect(load).rejects.toHaveProperty("code", "missing_dependency");
});

it.runIf(transformers !== undefined)("encodes and decodes as Python through the package", async () => {
  transformers.env.allowRemoteModels = false;
  transformers.env.localModelPath = fileURLToPath(new URL("../fixtures/", import.meta.url));
  const tokenizer = await fromTransformers()({ id: "tiny" });
  for (const { text, ids, decode } of recordedEncodings("tiny").strings) {
    expect(tokenizer?.encode(text)).toEqual(ids);
    expect(tokenizer?.decode(ids)).toBe(decode ?? text);
  }
});
