import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tokenizer } from "@tinkex/base";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService } from "../testing/open-service.js";
import { modelTokenizer } from "./model-tokenizer.js";

const own: Tokenizer = { vocabularySize: 1, encode: () => [], decode: () => "", tokenId: () => undefined };

/** A directory with the smallest tokenizer there is: two words. */
async function modelDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tinkex-tokenizer-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tokenizer = {
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: null,
    model: { type: "WordLevel", vocab: { hello: 0, world: 1 }, unk_token: "hello" },
  };
  await writeFile(join(directory, "tokenizer.json"), JSON.stringify(tokenizer));
  return directory;
}

describe("modelTokenizer", () => {
  it("gives the caller's own, or what the caller's function loads", async () => {
    const model = { modelName: "Qwen/Qwen3-8B", tokenizerId: "Qwen/Qwen3-8B" };
    expect(await modelTokenizer(own, model)).toBe(own);
    expect(
      await modelTokenizer(async (asked) => {
        expect(asked).toEqual(model);
        return own;
      }, model),
    ).toBe(own);
  });

  it("reads a model directory on this machine", async () => {
    const directory = await modelDirectory();
    const tokenizer = await modelTokenizer(undefined, { modelName: "m", tokenizerId: directory });
    expect(tokenizer.encode("hello world")).toEqual([0, 1]);
  });

  it("says what to pass when the tokenizer is not here", async () => {
    await expect(
      modelTokenizer(undefined, { modelName: "Qwen/Qwen3-8B", tokenizerId: undefined }),
    ).rejects.toThrow(
      /the tokenizer of Qwen\/Qwen3-8B is not on this machine: give the option tokenizer to ServiceClient/,
    );
  });

  it("is found by training and sampling clients, of the same base model too", async () => {
    const { stub, service } = await openService();
    const directory = await modelDirectory();
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "base", tokenizer_id: directory } },
    }));
    const training = await service.createLoraTrainingClient({ base_model: "base" });
    const saved = await training.saveWeightsAndGetSamplingClient();
    const sampler = await service.createSamplingClient({ base_model: "base" });
    for (const client of [training, saved, sampler]) {
      expect((await client.getTokenizer()).encode("world")).toEqual([1]);
    }
  });
});
