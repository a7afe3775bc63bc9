import { describe, expect, it } from "vitest";
import type { EngineModel } from "../engine/engine.js";
import { readBody } from "./request-body.js";
import { sampleBody } from "./sample-body.js";
import { toSampleTask } from "./sample-task.js";

const model: EngineModel = {
  name: "test/one",
  directory: "/models/one",
  architecture: "one",
  vocabularySize: 50,
  contextLength: 8,
  endTokenIds: [49],
  weights: "float32",
};

function task(
  body: Record<string, unknown>,
  params: Record<string, unknown> = {},
  tokens = [1, 2, 3],
  served = model,
) {
  const whole = { prompt: { chunks: [{ tokens }] }, sampling_params: params, ...body };
  return toSampleTask(readBody(sampleBody, whole), {
    model: served,
    adapterId: "a",
    sessionId: "s",
    randomSeed: () => 1234,
  });
}

describe("toSampleTask", () => {
  it("endpoints 3: fills up what the 0.4 generation leaves out, and reads null as absent", () => {
    const expected = {
      adapterId: "a",
      sessionId: "s",
      prompt: Int32Array.of(1, 2, 3),
      sampleCount: 1,
      maxTokens: 5,
      seed: 1234,
      temperature: 1,
      topK: -1,
      topP: 1,
      stopTokenIds: [49],
      stopTexts: [],
      wantsPromptLogprobs: false,
      topkPromptLogprobs: 0,
    };
    expect(task({})).toEqual(expected);
    expect(
      task({ prompt_logprobs: null, num_samples: null }, { max_tokens: null, seed: null, stop: null }),
    ).toEqual(expected);
    expect(task({ sampling_params: null })).toEqual(expected);
  });

  it("refuses more pairs than can be written down in a few seconds, and tells how many may be asked for", () => {
    const large = { ...model, vocabularySize: 70_000, contextLength: 8192 };
    const prompt = Array.from({ length: 64 }, () => 1);
    const asked = (body: Record<string, number>) => task(body, { max_tokens: 64 }, prompt, large);
    expect(asked({ topk_prompt_logprobs: 65_536 }).topkPromptLogprobs).toBe(65_536);
    expect(() => asked({ topk_prompt_logprobs: 65_537 })).toThrow(
      "topk_prompt_logprobs must be at most 65536 for 64 tokens, got 65537",
    );
    expect(asked({ topk_sample_logprobs: 64, num_samples: 1024 }).topkSampleLogprobs).toBe(64);
    expect(() => asked({ topk_sample_logprobs: 65, num_samples: 1024 })).toThrow(
      "topk_sample_logprobs must be at most 64 for 65536 tokens, got 65",
    );
  });

  const window = [1, 2, 3, 4, 5, 6, 7, 8];

  it("fills the window where max_tokens is absent, and takes one that fits", () => {
    expect(task({}).maxTokens).toBe(5);
    expect(task({}, { max_tokens: null }, window.slice(1)).maxTokens).toBe(1);
    expect(task({}, { max_tokens: 5 }).maxTokens).toBe(5);
    expect(task({}, { max_tokens: 2 }).maxTokens).toBe(2);
  });

  it("refuses a max_tokens that does not fit behind the prompt, and names prompt, max_tokens and window", () => {
    const message =
      "sampling_params.max_tokens must be at most 5, got 6: the prompt has 3 tokens, and the window of test/one 8";
    expect(() => task({}, { max_tokens: 6 })).toThrow(message);
    expect(() => task({ prompt_logprobs: true }, { max_tokens: 6 })).toThrow(message);
    expect(() => task({}, { max_tokens: 1 }, window)).toThrow(
      "max_tokens must be at most 0, got 1: the prompt has 8",
    );
    expect(() => task({}, {}, window)).toThrow("prompt must have at most 7 tokens to be answered, got 8");
  });

  it("scores a prompt as long as the window, as compute_logprobs of every generation asks for it", () => {
    const scored = { wantsPromptLogprobs: true, maxTokens: 0 };
    expect(task({ prompt_logprobs: true }, { max_tokens: 1 }, window)).toMatchObject(scored);
    expect(task({ topk_prompt_logprobs: 2 }, { max_tokens: 1 }, window)).toMatchObject(scored);
    expect(task({ prompt_logprobs: true }, {}, window)).toMatchObject(scored);
    expect(task({ prompt_logprobs: true }, { max_tokens: 1 }, window.slice(1))).toMatchObject({
      maxTokens: 1,
    });
    expect(() => task({ prompt_logprobs: true }, { max_tokens: 2 }, window)).toThrow(
      "got 2: the prompt has 8",
    );
  });

  it.each([
    [undefined, [49], []],
    [[], [], []],
    ["\n\n", [], ["\n\n"]],
    [["a", "b"], [], ["a", "b"]],
    [[7, 8], [7, 8], []],
  ])("reads the stop %j", (stop, ids, texts) => {
    expect(task({}, stop === undefined ? {} : { stop })).toMatchObject({
      stopTokenIds: ids,
      stopTexts: texts,
    });
  });

  it("takes seeds of 64 bits", () => {
    expect(task({}, { seed: 7 }).seed).toBe(7);
    const wide = task({}, { seed: 2n ** 63n + 5n }).seed;
    expect(Number.isSafeInteger(wide)).toBe(true);
    expect(task({}, { seed: -1 }).seed).toBe(2 ** 52 - 1);
  });

  it("asks for prompt log-probabilities where their likeliest tokens are asked for", () => {
    expect(task({ topk_prompt_logprobs: 2 })).toMatchObject({
      wantsPromptLogprobs: true,
      topkPromptLogprobs: 2,
    });
  });

  it.each([
    [{ num_samples: 0 }, {}, "num_samples must be a whole number from 1 to 1024, got 0"],
    [{ num_samples: 1.5 }, {}, "num_samples must be"],
    [{ num_samples: 5000 }, {}, "num_samples must be"],
    [{ topk_prompt_logprobs: 51 }, {}, "topk_prompt_logprobs must be a whole number from 0 to 50, got 51"],
    [{}, { max_tokens: 0 }, "sampling_params.max_tokens must be a whole number from 1, got 0"],
    [{}, { temperature: -1 }, "sampling_params.temperature must be 0 or more, got -1"],
    [{}, { top_p: 0 }, "sampling_params.top_p must be above 0 and at most 1, got 0"],
    [{}, { top_p: 1.1 }, "sampling_params.top_p must be"],
    [{}, { top_k: -2 }, "sampling_params.top_k must be a whole number from -1, got -2"],
    [{}, { stop: ["a", 1] }, "sampling_params.stop must be strings or token ids, got both"],
    [{}, { stop: [""] }, "sampling_params.stop must not hold an empty string"],
    [{}, { stop: [50] }, "sampling_params.stop[0] must be a token id from 0 to 49, got 50"],
    [{ topk_sample_logprobs: 51 }, {}, "topk_sample_logprobs must be a whole number from 0 to 50, got 51"],
    [{ prompt_alt_tokens_k: -1 }, {}, "prompt_alt_tokens_k must be a whole number from 0 to 50, got -1"],
    [{ prompt_logprobs_last_n: 1 }, {}, "prompt_logprobs_last_n limits prompt_logprobs, which must be true"],
    [
      { prompt_logprobs: true, prompt_logprobs_last_n: 3 },
      {},
      "prompt_logprobs_last_n must be a whole number from 1 to 2, got 3",
    ],
    [
      { target_prompt_logprobs: { data: [1], dtype: "int64", shape: [1, 1] } },
      {},
      "target_prompt_logprobs must be int64 of the shape [2, K], one row a token behind the first, got int64 [1, 1]",
    ],
    [
      { target_prompt_logprobs: { data: [1, 2], dtype: "float32", shape: [2, 1] } },
      {},
      "target_prompt_logprobs must be int64 of the shape [2, K]",
    ],
    [
      { target_prompt_logprobs: { data: [-1, 50], dtype: "int64", shape: [2, 1] } },
      {},
      "target_prompt_logprobs.data[1] must be a token id from 0 to 49, or -1 for none, got 50",
    ],
    [
      { target_prompt_logprobs: { data: [1], dtype: "int64", shape: [2, 1] } },
      {},
      "target_prompt_logprobs.shape [2, 1] does not hold 1 elements",
    ],
  ])("refuses %j with %j", (body, params, message) => {
    expect(() => task(body, params)).toThrow(message);
  });

  it("newest-wire 33: asks for more of a prompt, and reads a target that is not listed as none", () => {
    expect(
      task({
        prompt_logprobs: true,
        prompt_logprobs_last_n: 2,
        topk_sample_logprobs: 3,
        prompt_alt_tokens_k: 4,
        target_prompt_logprobs: { data: [7, -1, 0, 49], dtype: "int64", shape: [2, 2] },
      }),
    ).toMatchObject({
      promptLogprobsLast: 2,
      topkSampleLogprobs: 3,
      promptAltTokens: 4,
      promptTargets: { targetsPerToken: 2, ids: Int32Array.of(7, -1, 0, 49) },
    });
    const sparse = {
      data: [0],
      dtype: "int64",
      shape: [2, 2],
      sparse_crow_indices: [0, 0, 1],
      sparse_col_indices: [1],
    };
    expect(task({ target_prompt_logprobs: sparse }).promptTargets?.ids).toEqual(Int32Array.of(-1, -1, -1, 0));
  });

  it("refuses prompts the model cannot read", () => {
    expect(() => task({}, {}, [])).toThrow("prompt must hold at least one token, got none");
    expect(() => task({}, {}, [50])).toThrow(
      "prompt.chunks[0].tokens[0] must be a token id from 0 to 49, got 50",
    );
    expect(() => task({ prompt: { chunks: [{ tokens: [1, null] }] } })).toThrow(
      "prompt.chunks[0].tokens[1] must be a token id from 0 to 49, got null",
    );
    expect(() => task({ prompt: { chunks: [{ tokens: [1] }, { tokens: ["10"] }] } })).toThrow(
      'prompt.chunks[1].tokens[0] must be a token id from 0 to 49, got "10"',
    );
    expect(() => task({ prompt: { chunks: [{ type: "image", data: "" }] } })).toThrow(
      "prompt.chunks[0] must be text",
    );
  });

  it("refuses a body without a prompt, naming the field", () => {
    expect(() => readBody(sampleBody, { sampling_params: {} })).toThrow("body.prompt");
  });
});
