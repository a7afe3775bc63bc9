import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { createInProcessEngine } from "../compute/in-process-engine.js";
import { checkGraphSize } from "./check-model-size.js";
import type { ModelConfig } from "./model-config.js";

const tiny = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const root = temporaryDirectory();

/** The published sizes of Qwen3-0.6B: 596,049,920 parameters. */
const qwen3: ModelConfig = {
  architecture: "qwen3",
  vocabularySize: 151_936,
  hiddenSize: 1024,
  intermediateSize: 3072,
  layerCount: 28,
  headCount: 16,
  keyValueHeadCount: 8,
  headSize: 128,
  ropeTheta: 1_000_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 40_960,
  attentionBias: false,
  queryKeyNorm: true,
  endTokenIds: [151_645],
};

describe("checkGraphSize", () => {
  it("names size, limit and remedy for a model that is too large", () => {
    expect(() => checkGraphSize(qwen3, "/models/qwen3")).toThrow(
      "the model in /models/qwen3 takes 2.25 GiB as float32; WebAssembly computes with at most 2.00 GiB, " +
        "about 530 million parameters; install onnxruntime-node, or choose a smaller model",
    );
  });

  it("accepts what fits, and counts tied weights once", () => {
    const smaller = { ...qwen3, layerCount: 20 };
    expect(() => checkGraphSize(smaller, "/models/small")).not.toThrow();
    expect(() => checkGraphSize({ ...smaller, tiedEmbeddings: false }, "/models/small")).toThrow(
      ValidationError,
    );
  });

  it("counts the rotary tables of a long context", () => {
    const long = { ...qwen3, layerCount: 20, contextLength: 1_048_576 };
    expect(() => checkGraphSize(long, "/models/long")).toThrow(ValidationError);
  });

  it("is asked when an engine starts in WebAssembly, before weights are opened", async () => {
    const directory = join(root, "large");
    cpSync(tiny, directory, { recursive: true });
    const file = join(directory, "config.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(
      file,
      JSON.stringify({ ...config, num_hidden_layers: 1000, hidden_size: 4096, intermediate_size: 8192 }),
    );
    const starting = createInProcessEngine({ model: { name: "large", directory }, runtime: "wasm" });
    await expect(starting).rejects.toThrow(/takes .* GiB as float32/);
  });
});
