import { Datum, type NamedTensors, type TensorData } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import type { EngineModel } from "../engine/engine.js";
import { readForwardBackwardBody } from "../server/read-pass-body.js";
import { toEngineDatum } from "./engine-datum.js";
import { resolveLoss } from "./resolve-loss.js";

const model: EngineModel = {
  name: "test/one",
  directory: "/models/one",
  architecture: "one",
  vocabularySize: 50,
  contextLength: 8,
  endTokenIds: [],
  weights: "float32",
};

const targets: TensorData = { data: [2, 3, 4], dtype: "int64" };
const floats = (...data: number[]): TensorData => ({ data: Float32Array.from(data), dtype: "float32" });

function convert(inputs: NamedTensors, loss = "cross_entropy", config = {}, tokens: number[] = [1, 2, 3]) {
  return toEngineDatum(Datum.of(tokens, inputs), 3, resolveLoss(loss, config), model);
}

function failure(
  inputs: NamedTensors,
  loss?: string,
  config?: Record<string, number>,
  tokens?: number[],
): string {
  try {
    convert(inputs, loss, config, tokens);
  } catch (error) {
    expect(error).toMatchObject({ category: "user" });
    return error instanceof Error ? error.message : "";
  }
  return "no failure";
}

describe("toEngineDatum", () => {
  it("casts tokens, targets and weights", () => {
    const datum = convert({ target_tokens: targets, weights: floats(0, 1, 0.5) });
    expect(datum).toEqual({
      tokens: Int32Array.of(1, 2, 3),
      targets: Int32Array.of(2, 3, 4),
      targetsPerToken: 1,
      targetsAreMatrix: false,
      lossInputs: { weights: Float32Array.of(0, 1, 0.5) },
    });
  });

  it.each([
    [null, "null"],
    ["101", '"101"'],
    [true, "true"],
  ])("takes no %j for a token, as a target neither", (element, shown) => {
    const body = (tokens: unknown[], targetTokens: unknown[]) => ({
      model_id: "m",
      forward_backward_input: {
        loss_fn: "cross_entropy",
        data: [
          {
            model_input: { chunks: [{ tokens: [1] }, { tokens }] },
            loss_fn_inputs: { target_tokens: { data: targetTokens, dtype: "int64" } },
          },
        ],
      },
    });
    const read = (tokens: unknown[], targetTokens: unknown[]) => {
      const [datum] = readForwardBackwardBody(body(tokens, targetTokens)).data;
      if (datum !== undefined) toEngineDatum(datum, 0, resolveLoss("cross_entropy", {}), model);
    };
    expect(() => read([4, 5], [4, 5, 6])).not.toThrow();
    expect(() => read([4, element], [4, 5, 6])).toThrow(
      `data[0].model_input.chunks[1].tokens[1] must be a token id from 0 to 49, got ${shown}`,
    );
    expect(() => read([4, 5], [4, element, 6])).toThrow("data[0].loss_fn_inputs.target_tokens");
  });

  it("takes int64 arrays, whole floats and chunks in a row", () => {
    for (const data of [BigInt64Array.of(2n, 3n, 4n), Int32Array.of(2, 3, 4)]) {
      expect(convert({ target_tokens: { data, dtype: "int64" } }).targets).toEqual(Int32Array.of(2, 3, 4));
    }
    expect(convert({ target_tokens: floats(2, 3, 4) }).targets).toEqual(Int32Array.of(2, 3, 4));
    const chunked = {
      model_input: { chunks: [{ tokens: [1, 2] }, { tokens: [3] }] },
      loss_fn_inputs: { target_tokens: targets },
    };
    expect(toEngineDatum(chunked, 0, resolveLoss("cross_entropy", undefined), model).tokens).toEqual(
      Int32Array.of(1, 2, 3),
    );
  });

  it("takes (N, K) targets, dense and sparse, and (N, 1) beside (N)", () => {
    const dense = convert({
      target_tokens: { data: [2, 0, 3, 0, 4, 5], dtype: "int64", shape: [3, 2] },
      weights: { data: [1, 0, 1, 0, 0.5, 0.5], dtype: "float32", shape: [3, 2] },
    });
    const sparse = convert({
      target_tokens: {
        data: [2, 3, 4, 5],
        dtype: "int64",
        shape: [3, 2],
        sparse_crow_indices: [0, 1, 2, 4],
        sparse_col_indices: [0, 0, 0, 1],
      },
      weights: {
        data: [1, 1, 0.5, 0.5],
        dtype: "float32",
        shape: [3, 2],
        sparse_crow_indices: [0, 1, 2, 4],
        sparse_col_indices: [0, 0, 0, 1],
      },
    });
    expect(sparse).toEqual(dense);
    expect(dense).toMatchObject({ targetsPerToken: 2, targetsAreMatrix: true });
    expect(convert({ target_tokens: { ...targets, shape: [3, 1] }, weights: floats(1, 1, 1) })).toMatchObject(
      {
        targetsPerToken: 1,
        targetsAreMatrix: true,
      },
    );
  });

  it("takes thresholds per token", () => {
    const inputs = { target_tokens: targets, logprobs: floats(-1, -1, -1), advantages: floats(0, 1, -1) };
    expect(convert({ ...inputs, clip_low_threshold: floats(0.1, 0.2, 0.3) }, "ppo")).toMatchObject({
      lossInputs: {
        clip_low_threshold: Float32Array.of(0.1, 0.2, 0.3),
        logprobs: Float32Array.of(-1, -1, -1),
      },
    });
    expect(failure({ ...inputs, clip_low_threshold: floats(0.1, 2, 0.3) }, "ppo")).toBe(
      "data[3].loss_fn_inputs.clip_low_threshold[1] must be at most clip_high_threshold 1.2, got 2",
    );
  });

  const rl = { target_tokens: targets, logprobs: floats(0, 0, 0), advantages: floats(0, 0, 0) };
  it.each<[string, NamedTensors, string, string | undefined]>([
    [
      "a missing target",
      { weights: floats(1, 1, 1) },
      "data[3].loss_fn_inputs.target_tokens is missing; cross_entropy needs target_tokens",
      undefined,
    ],
    [
      "a missing advantage",
      { target_tokens: targets, logprobs: floats(0, 0, 0) },
      "data[3].loss_fn_inputs.advantages is missing; ppo needs target_tokens, logprobs and advantages",
      "ppo",
    ],
    [
      "an unknown tensor",
      { target_tokens: targets, mask: floats(1, 1, 1) },
      "data[3].loss_fn_inputs.mask is not read by cross_entropy; it reads target_tokens and weights",
      undefined,
    ],
    [
      "a tensor of another loss",
      { ...rl, clip_low_threshold: floats(0, 0, 0) },
      "data[3].loss_fn_inputs.clip_low_threshold is not read by dro; it reads target_tokens, logprobs, advantages and weights",
      "dro",
    ],
    [
      "targets of another length",
      { target_tokens: { data: [1, 2], dtype: "int64" } },
      "data[3].loss_fn_inputs.target_tokens must have 3 as its first size, as many as input tokens, got shape [2]",
      undefined,
    ],
    [
      "a scalar target",
      { target_tokens: { data: [1], dtype: "int64", shape: [] } },
      "data[3].loss_fn_inputs.target_tokens must have 3 as its first size, as many as input tokens, got shape []",
      undefined,
    ],
    [
      "weights of another length",
      { target_tokens: targets, weights: floats(1, 1) },
      "data[3].loss_fn_inputs.weights must have the shape of target_tokens, [3], got [2]",
      undefined,
    ],
    [
      "transposed weights",
      {
        target_tokens: { data: [1, 2, 3, 4, 5, 6], dtype: "int64", shape: [3, 2] },
        weights: { data: [1, 1, 1, 1, 1, 1], dtype: "float32", shape: [2, 3] },
      },
      "data[3].loss_fn_inputs.weights must have the shape of target_tokens, [3, 2], got [2, 3]",
      undefined,
    ],
    [
      "a matrix in an RL loss",
      { ...rl, target_tokens: { data: [2, 3, 4], dtype: "int64", shape: [3, 1] } },
      "data[3].loss_fn_inputs.target_tokens must be (N,) for ppo, got (N, K), which only cross_entropy takes",
      "ppo",
    ],
    [
      "a token outside the vocabulary",
      { target_tokens: { data: [2, 50, 4], dtype: "int64" } },
      "data[3].loss_fn_inputs.target_tokens[1] must be a token id from 0 to 49, got 50",
      undefined,
    ],
    [
      "a negative token",
      { target_tokens: { data: BigInt64Array.of(2n, 3n, -1n), dtype: "int64" } },
      "data[3].loss_fn_inputs.target_tokens[2] must be a token id from 0 to 49, got -1",
      undefined,
    ],
    [
      "a fraction",
      { target_tokens: floats(2, 3.5, 4) },
      "data[3].loss_fn_inputs.target_tokens[1] must be a token id from 0 to 49, got 3.5",
      undefined,
    ],
    [
      "a NaN weight",
      { target_tokens: targets, weights: floats(1, 1, Number.NaN) },
      "data[3].loss_fn_inputs.weights[2] must be a finite float32, got NaN",
      undefined,
    ],
    [
      "an infinite logprob",
      { ...rl, logprobs: floats(Number.NEGATIVE_INFINITY, 0, 0) },
      "data[3].loss_fn_inputs.logprobs[0] must be a finite float32, got -Infinity",
      "ppo",
    ],
    [
      "elements that do not fill the shape",
      { target_tokens: { data: [1, 2], dtype: "int64", shape: [3] } },
      "data[3].loss_fn_inputs.target_tokens.shape [3] does not hold 2 elements",
      undefined,
    ],
    [
      "a column outside a sparse tensor",
      {
        target_tokens: {
          data: [1],
          dtype: "int64",
          shape: [3, 2],
          sparse_crow_indices: [0, 1, 1, 1],
          sparse_col_indices: [2],
        },
      },
      "data[3].loss_fn_inputs.target_tokens.sparse_col_indices[0] must be a column below 2",
      undefined,
    ],
    [
      "a huge sparse matrix",
      {
        target_tokens: {
          data: [],
          dtype: "int64",
          shape: [3, 2 ** 40],
          sparse_crow_indices: [0, 0, 0, 0],
          sparse_col_indices: [],
        },
      },
      "data[3].loss_fn_inputs.target_tokens must name 1 to 50 targets a token, got 1099511627776",
      undefined,
    ],
  ])("refuses %s", (_, inputs, message, loss) => {
    expect(failure(inputs, loss)).toBe(message);
  });

  it("refuses inputs the model cannot read", () => {
    const inputs = { target_tokens: targets };
    expect(failure(inputs, undefined, undefined, [1, 77, 3])).toBe(
      "data[3].model_input.chunks[0].tokens[1] must be a token id from 0 to 49, got 77",
    );
    expect(failure(inputs, undefined, undefined, [])).toBe(
      "data[3].model_input must hold at least one token, got none",
    );
    expect(failure(inputs, undefined, undefined, Array(9).fill(1))).toBe(
      "data[3].model_input must have at most 8 tokens, the window of test/one, got 9",
    );
    const image = {
      model_input: { chunks: [{ data: "", format: "png" as const, type: "image" as const }] },
      loss_fn_inputs: inputs,
    };
    expect(() => toEngineDatum(image, 0, resolveLoss("cross_entropy", undefined), model)).toThrow(
      "data[0].model_input.chunks[0] must be text",
    );
  });
});

describe("resolveLoss", () => {
  it("fills up the configuration with the documented defaults", () => {
    expect(resolveLoss("ppo", { clip_high_threshold: 1.5 }).config).toEqual({
      clip_low_threshold: 0.8,
      clip_high_threshold: 1.5,
    });
    expect(resolveLoss("cispo", undefined).config).toEqual({ clip_low_threshold: 0, clip_high_threshold: 4 });
    expect(resolveLoss("dro", {}).config).toEqual({ beta: 0.05 });
    expect(resolveLoss("importance_sampling", undefined).config).toEqual({});
  });

  it.each([
    [
      "orpo",
      {},
      'loss_fn must be one that this server computes (cross_entropy, importance_sampling, ppo, cispo, dro, gspo, stable_reinforce and custom), got "orpo"',
    ],
    ["toString", {}, 'got "toString"'],
    ["cross_entropy", { beta: 1 }, "loss_fn_config.beta is unknown to cross_entropy; its keys: none"],
    [
      "ppo",
      { clip: 1 },
      "loss_fn_config.clip is unknown to ppo; its keys: clip_low_threshold and clip_high_threshold",
    ],
    ["dro", { beta: "0.1" }, 'loss_fn_config.beta must be a finite number, got "0.1"'],
    ["dro", { beta: Number.NaN }, "loss_fn_config.beta must be a finite number"],
    [
      "ppo",
      { clip_low_threshold: 2 },
      "loss_fn_config.clip_low_threshold must be at most clip_high_threshold 1.2, got 2",
    ],
  ])("refuses %s with %j", (name, config, message) => {
    expect(() => resolveLoss(name, config)).toThrow(message);
  });
});
