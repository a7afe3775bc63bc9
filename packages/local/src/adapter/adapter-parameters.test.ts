import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelConfig } from "../model/read-model-config.js";
import { adaptedModules, copyAdapterParameters, createAdapterParameters } from "./adapter-parameters.js";

const models = new URL("../../fixtures/numerics/models/", import.meta.url).pathname;
const config = readModelConfig(join(models, "tiny-llama"));
const all = { rank: 8, trainAttention: true, trainMlp: true, trainUnembedding: true };

describe("adaptedModules", () => {
  it("goes through the layers in order, the unembedding last", () => {
    const modules = adaptedModules(config, all);
    expect(modules).toHaveLength(15);
    expect(modules[0]).toEqual({
      module: "model.layers.0.self_attn.q_proj",
      group: "attention",
      inputSize: 64,
      outputSize: 64,
      hasBias: false,
    });
    expect(modules[6]).toMatchObject({
      module: "model.layers.0.mlp.down_proj",
      inputSize: 160,
      outputSize: 64,
    });
    expect(modules[14]).toMatchObject({ module: "lm_head", inputSize: 64, outputSize: 384 });
  });

  it.each([
    ["attention", { trainMlp: false, trainUnembedding: false }, 8],
    ["MLP", { trainAttention: false, trainUnembedding: false }, 6],
    ["unembedding", { trainAttention: false, trainMlp: false }, 1],
  ])("keeps only the %s when asked", (_, flags, count) => {
    expect(adaptedModules(config, { ...all, ...flags })).toHaveLength(count);
  });
});

describe("createAdapterParameters", () => {
  it("starts with B = 0 and A uniform in ±1/√dIn", () => {
    const { pairs, shape } = createAdapterParameters(config, { ...all, rank: 64 }, 1);
    expect(shape.rank).toBe(64);
    for (const { a, b, dIn, dOut } of pairs) {
      expect(a).toHaveLength(64 * dIn);
      expect(b).toEqual(new Float32Array(dOut * 64));
      const limit = 1 / Math.sqrt(dIn);
      expect(Math.max(...a.map(Math.abs))).toBeLessThanOrEqual(Math.fround(limit));
      const deviation = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0) / a.length);
      expect(deviation / (limit / Math.sqrt(3))).toBeCloseTo(1, 1);
    }
  });

  it("repeats for a seed, and the flags change no other module's numbers", () => {
    const whole = createAdapterParameters(config, all, 5);
    expect(createAdapterParameters(config, all, 5)).toEqual(whole);
    const mlp = createAdapterParameters(
      config,
      { ...all, trainAttention: false, trainUnembedding: false },
      5,
    );
    for (const pair of mlp.pairs) {
      expect(pair).toEqual(whole.pairs.find(({ module }) => module === pair.module));
    }
    expect(createAdapterParameters(config, all, 6).pairs[0]?.a).not.toEqual(whole.pairs[0]?.a);
    expect(whole.pairs[0]?.a).not.toEqual(whole.pairs[1]?.a);
  });
});

describe("copyAdapterParameters", () => {
  it("does not follow later changes", () => {
    const original = createAdapterParameters(config, all, 5);
    const copy = copyAdapterParameters(original);
    original.pairs[0]?.a.fill(0);
    original.pairs[0]?.b.fill(1);
    expect(copy).toEqual(createAdapterParameters(config, all, 5));
  });
});
