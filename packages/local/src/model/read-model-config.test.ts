import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { readModelConfig } from "./read-model-config.js";

const models = new URL("../../fixtures/numerics/models/", import.meta.url).pathname;
const directory = temporaryDirectory();

/** The configuration of a golden model with some fields changed; `undefined` removes one. */
function changed(model: string, fields: Record<string, unknown>): string {
  const config = JSON.parse(readFileSync(join(models, model, "config.json"), "utf8"));
  writeFileSync(join(directory, "config.json"), JSON.stringify({ ...config, ...fields }));
  return directory;
}

describe("readModelConfig", () => {
  it("reads a Llama configuration in the old spelling", () => {
    expect(readModelConfig(join(models, "tiny-llama"))).toEqual({
      architecture: "llama",
      vocabularySize: 384,
      hiddenSize: 64,
      intermediateSize: 160,
      layerCount: 2,
      headCount: 4,
      keyValueHeadCount: 2,
      headSize: 16,
      ropeTheta: 10000,
      rmsNormEpsilon: 1e-6,
      tiedEmbeddings: true,
      contextLength: 512,
      attentionBias: false,
      queryKeyNorm: false,
      endTokenIds: [2],
    });
  });

  it("reads the rotary scaling of Llama 3", () => {
    expect(readModelConfig(join(models, "tiny-llama3"))).toMatchObject({
      ropeTheta: 500000,
      ropeScaling: {
        factor: 8,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalContextLength: 64,
      },
      keyValueHeadCount: 1,
      tiedEmbeddings: false,
    });
  });

  it("reads the new spelling, head_dim and the query and key norms of Qwen3", () => {
    expect(readModelConfig(join(models, "tiny-qwen3"))).toMatchObject({
      architecture: "qwen3",
      headSize: 24,
      ropeTheta: 1000000,
      queryKeyNorm: true,
      attentionBias: false,
    });
  });

  it("gives Qwen2 its biases", () => {
    expect(readModelConfig(join(models, "tiny-qwen2"))).toMatchObject({
      attentionBias: true,
      queryKeyNorm: false,
    });
  });

  it("prefers the end tokens of generation_config.json, one or several", () => {
    changed("tiny-llama", { eos_token_id: 5 });
    expect(readModelConfig(directory).endTokenIds).toEqual([5]);
    writeFileSync(join(directory, "generation_config.json"), JSON.stringify({ eos_token_id: [2, 7] }));
    expect(readModelConfig(directory).endTokenIds).toEqual([2, 7]);
    writeFileSync(join(directory, "generation_config.json"), JSON.stringify({ bos_token_id: 0 }));
    expect(readModelConfig(directory).endTokenIds).toEqual([5]);
    rmSync(join(directory, "generation_config.json"));
  });

  it.each([
    [
      "another architecture",
      { model_type: "gpt2" },
      /model_type "gpt2" is not supported.*llama, qwen2, qwen3/,
    ],
    ["another activation", { hidden_act: "gelu" }, /hidden_act "gelu"/],
    ["biases of a Llama", { attention_bias: true }, /attention_bias of a llama model/],
    ["biases in the MLP", { mlp_bias: true }, /mlp_bias/],
    ["a sliding window", { use_sliding_window: true }, /use_sliding_window/],
    ["yarn scaling", { rope_scaling: { type: "yarn", factor: 4 } }, /rotary scaling must be .*, got "yarn"/],
    [
      "llama3 scaling without its numbers",
      { rope_scaling: { rope_type: "llama3" } },
      /with factor, .* got "llama3"/,
    ],
    ["a missing size", { hidden_size: undefined }, /config\.json is not as expected.*hidden_size/],
    [
      "heads that do not divide",
      { num_key_value_heads: 3 },
      /must be a multiple of num_key_value_heads 3, got 4/,
    ],
    ["a width that does not divide", { hidden_size: 66 }, /hidden_size must be a multiple .*, got 66/],
  ])("refuses %s", (_, fields, message) => {
    expect(() => readModelConfig(changed("tiny-llama", fields))).toThrow(ValidationError);
    expect(() => readModelConfig(changed("tiny-llama", fields))).toThrow(message);
  });

  it("refuses a directory without config.json, and one whose config.json is not JSON", () => {
    expect(() => readModelConfig(join(models, "absent"))).toThrow(
      /not a model directory: it has no config\.json/,
    );
    cpSync(join(models, "tiny-llama", "model.safetensors"), join(directory, "config.json"));
    expect(() => readModelConfig(directory)).toThrow(/cannot read .*config\.json/);
  });
});
