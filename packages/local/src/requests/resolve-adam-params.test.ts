import { describe, expect, it } from "vitest";
import { requireAdam, toAdapterShape } from "./adapter-shape.js";
import { resolveAdamParams } from "./resolve-adam-params.js";

describe("resolveAdamParams", () => {
  it("fills up the defaults of the API", () => {
    expect(resolveAdamParams({})).toEqual({
      learningRate: 1e-4,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-12,
      weightDecay: 0,
      gradientClipNorm: 0,
    });
    expect(resolveAdamParams({ learning_rate: 0, weight_decay: 0.1, grad_clip_norm: 1 })).toMatchObject({
      learningRate: 0,
      weightDecay: 0.1,
      gradientClipNorm: 1,
    });
  });

  it("takes a clip norm below 0 as off", () => {
    expect(resolveAdamParams({ grad_clip_norm: -5 }).gradientClipNorm).toBe(0);
  });

  it.each([
    [{ learning_rate: -1 }, "adam_params.learning_rate must be 0 or more, got -1"],
    [{ learning_rate: Number.NaN }, "adam_params.learning_rate must be 0 or more, got NaN"],
    [{ beta1: 1 }, "adam_params.beta1 must be at least 0 and below 1, got 1"],
    [{ beta2: -0.1 }, "adam_params.beta2 must be"],
    [{ eps: 0 }, "adam_params.eps must be above 0, got 0"],
    [{ weight_decay: Number.POSITIVE_INFINITY }, "adam_params.weight_decay must be"],
    [{ grad_clip_norm: Number.NaN }, "adam_params.grad_clip_norm must be a finite number, got NaN"],
  ])("refuses %j", (params, message) => {
    expect(() => resolveAdamParams(params)).toThrow(message);
  });
});

describe("toAdapterShape", () => {
  const config = { rank: 8, train_attn: true, train_mlp: true, train_unembed: false };

  it("takes a LoRA configuration", () => {
    expect(toAdapterShape(config)).toEqual({
      rank: 8,
      trainAttention: true,
      trainMlp: true,
      trainUnembedding: false,
    });
  });

  it("refuses what cannot be an adapter", () => {
    expect(() => toAdapterShape(undefined)).toThrow("lora_config is missing");
    expect(() => toAdapterShape({ ...config, rank: 0 })).toThrow(
      "lora_config.rank must be a whole number from 1 to 1024, got 0",
    );
    expect(() => toAdapterShape({ ...config, rank: 1.5 })).toThrow("lora_config.rank");
    expect(() => toAdapterShape({ ...config, train_attn: false, train_mlp: false })).toThrow(
      "trains nothing",
    );
  });

  it("refuses other optimizers than AdamW, and says why and what to do", () => {
    expect(() => requireAdam({ type: "dimuon" })).toThrow(
      'optimizer_config.type must be "adamw" on this server, got "dimuon", whose formula the service has not published; leave ' +
        "optimizer_config out, or use a hosted service",
    );
    expect(() => requireAdam({ type: "zeta" })).toThrow(
      'optimizer_config.type must be "adamw" on this server, got "zeta"; leave optimizer_config out',
    );
    expect(() => requireAdam({ type: "adamw" })).not.toThrow();
    expect(() => requireAdam(undefined)).not.toThrow();
  });
});
