import { ResponseError } from "@tinkex/base";
import { describe, expect, expectTypeOf, it } from "vitest";
import { openService } from "../testing/open-service.js";
import { readScores } from "./read-scores.js";
import type { SampleParams } from "./sampling-client.js";

/** A sampler whose every answer has these fields. */
async function openSampler(answer: object) {
  const open = await openService();
  open.stub.on("asample", () =>
    open.stub.accept("SampleResponse", {
      sequences: [{ stop_reason: "length", tokens: [1], logprobs: [-1] }],
      prompt_cache_hit_tokens: 0,
      ...answer,
    }),
  );
  return { ...open, sampler: await open.service.createSamplingClient({ base_model: "b" }) };
}

/** A sampler whose every answer has these fields, in JSON. */
async function samplerInJson(answer: object) {
  const { stub, service } = await openService();
  const sequences = [{ stop_reason: "length", tokens: [1], logprobs: [-1] }];
  stub.on("retrieve_future", () => ({ body: { sequences, ...answer } }));
  return service.createSamplingClient({ base_model: "b" });
}

const params: SampleParams = { prompt: [5, 6, 7], sampling_params: { max_tokens: 1 } };

describe("scores of a prompt", () => {
  // SkyRL gives none for the first token (NovaSky-AI/SkyRL).
  it("come one a token from a server that leaves out the first", async () => {
    const { sampler } = await openSampler({ prompt_logprobs: [-2, -3] });
    expect(await sampler.computeLogprobs([5, 6, 7])).toEqual([null, -2, -3]);
    const { prompt_logprobs } = await sampler.sample({ ...params, prompt_logprobs: true });
    expect(prompt_logprobs).toEqual([null, -2, -3]);
  });

  it("stay as they are where there is one for each token", async () => {
    const { sampler } = await openSampler({ prompt_logprobs: [null, -2, -3] });
    expect(await sampler.computeLogprobs([5, 6, 7])).toEqual([null, -2, -3]);
  });

  it("are all that computeLogprobs needs of an answer without sequences", async () => {
    const { sampler } = await openSampler({ sequences: [], prompt_logprobs: [null, -2, -3] });
    expect(await sampler.computeLogprobs([5, 6, 7])).toEqual([null, -2, -3]);
    await expect(sampler.sample({ ...params, prompt_logprobs: true })).rejects.toThrow(
      "the service gave 0 sequences for num_samples 1",
    );
  });

  it.each([[[-2]], [[null, -2, -3, -4]]])(
    "%j of a prompt of three tokens are an error that names both",
    async (scores) => {
      const { sampler } = await openSampler({ prompt_logprobs: scores });
      const asked = sampler.computeLogprobs([5, 6, 7]);
      await expect(asked).rejects.toBeInstanceOf(ResponseError);
      await expect(asked).rejects.toThrow(`gave ${scores.length} prompt_logprobs for a prompt of 3 tokens`);
    },
  );

  it("that were asked for and are absent are one warning a sampler", async () => {
    const { sampler, logger } = await openSampler({});
    const asked = { ...params, topk_prompt_logprobs: 2, topk_sample_logprobs: 2, prompt_logprobs: true };
    await sampler.sample(asked);
    await sampler.sample(asked);
    expect(logger.lines).toEqual(
      ["prompt_logprobs", "topk_prompt_logprobs", "topk_sample_logprobs"].map(
        (field) =>
          `warn: ${field} was asked for, and the service gave nothing of that; the results are without it`,
      ),
    );
  });
});

// microsoft/TypeScript#36390: "This expression is not callable" for map of one array or another.
describe("the tensors of a sample", () => {
  const scores = { data: [-1, -2], dtype: "float32", shape: [2, 1] } as const;
  const drawn = { tokens: { data: [8, 9], dtype: "int64", shape: [2, 1] }, logprobs: scores } as const;
  const targets = { data: [6, 7], dtype: "int64", shape: [2, 1] } as const;
  const asked = { ...params, target_prompt_logprobs: targets, prompt_alt_tokens_k: 1 };

  // JSON reads a tensor whose shape is left out as a row; in protobuf an empty shape is a scalar.
  it.each<[string, SampleParams["prompt"]]>([
    ["of text", [5, 6, 7]],
    [
      "with an image",
      { chunks: [{ tokens: [5] }, { data: Uint8Array.of(1), format: "png", type: "image" }] },
    ],
  ])(
    "come in the shape that was asked for where the server states none, for a prompt %s",
    async (_, prompt) => {
      const unshaped = { data: [-1, -2, -3, -4], dtype: "float32" };
      const sampler = await samplerInJson({
        target_prompt_logprobs: unshaped,
        prompt_alt_tokens: { tokens: { data: [5, 6, 7, 8], dtype: "int64" }, logprobs: unshaped },
      });
      const target_prompt_logprobs = [
        [6, 7],
        [8, 9],
      ];
      const asked = { ...params, prompt, target_prompt_logprobs, prompt_alt_tokens_k: 2 };
      const { target_prompt_logprobs: given, prompt_alt_tokens: others } = await sampler.sample(asked);
      expect(given).toEqual({ data: Float32Array.of(-1, -2, -3, -4), dtype: "float32", shape: [2, 2] });
      const tokens = BigInt64Array.of(5n, 6n, 7n, 8n);
      expect(others?.tokens).toEqual({ data: tokens, dtype: "int64", shape: [2, 2] });
      expect(others?.logprobs.shape).toEqual([2, 2]);
    },
  );

  it("are refused by name where they are not as many, and state no shape", async () => {
    const unshaped = { data: [-1, -2, -3], dtype: "float32" };
    const scored = await samplerInJson({ target_prompt_logprobs: unshaped });
    await expect(scored.sample({ ...params, target_prompt_logprobs: [[6], [7]] })).rejects.toThrow(
      "gave target_prompt_logprobs of shape [3]; it must be [2, 1]",
    );
    const tokens = { ...unshaped, dtype: "int64" };
    const drawing = await samplerInJson({ prompt_alt_tokens: { tokens, logprobs: unshaped } });
    await expect(drawing.sample({ ...params, prompt_alt_tokens_k: 2 })).rejects.toThrow(
      "gave prompt_alt_tokens.tokens of shape [3]; it must be [2, 2]",
    );
  });

  it("are arrays whose methods compile as they are", async () => {
    const { sampler } = await openSampler({ target_prompt_logprobs: scores, prompt_alt_tokens: drawn });
    const { target_prompt_logprobs: given, prompt_alt_tokens: others } = await sampler.sample(asked);
    expectTypeOf(given?.data).toEqualTypeOf<Float32Array | undefined>();
    expectTypeOf(others?.tokens.data).toEqualTypeOf<BigInt64Array | undefined>();
    expect(given?.data.map(Number)).toEqual(Float32Array.of(-1, -2));
    expect(others?.tokens.data.reduce((sum, id) => sum + id, 0n)).toBe(17n);
    expect(others?.logprobs.data.reduce((sum, logprob) => sum + logprob, 0)).toBe(-3);
  });

  it.each([
    ["target_prompt_logprobs that must be float32, got int64", { target_prompt_logprobs: targets }],
    [
      "prompt_alt_tokens.tokens that must be int64, got float32",
      { prompt_alt_tokens: { ...drawn, tokens: scores } },
    ],
    [
      "prompt_alt_tokens.logprobs that must be float32, got int64",
      { prompt_alt_tokens: { ...drawn, logprobs: targets } },
    ],
  ])("are refused by name: %s", async (message, answer) => {
    const { sampler } = await openSampler({ prompt_alt_tokens: drawn, ...answer });
    const sample = sampler.sample(asked);
    await expect(sample).rejects.toBeInstanceOf(ResponseError);
    await expect(sample).rejects.toThrow(`the service gave ${message}`);
  });
});

describe("an answer of another size than was asked for", () => {
  const sequence = { stop_reason: "length", tokens: [8, 9], logprobs: [-1, -2] };
  const row = [[8, -1]];
  const tensor = (shape: readonly number[], dtype = "float32") => ({
    data: Array.from({ length: shape.reduce((count, size) => count * size, 1) }, () => 0),
    dtype,
    shape,
  });
  const drawn = { tokens: tensor([2, 2], "int64"), logprobs: tensor([2, 2]) };

  it.each<[message: string, answer: object, asked: Partial<SampleParams>]>([
    ["1 logprobs for the 2 tokens of sequences[0]", { sequences: [{ ...sequence, logprobs: [-1] }] }, {}],
    [
      "3 logprobs for the 2 tokens of sequences[1]",
      { sequences: [sequence, { ...sequence, logprobs: [-1, -2, -3] }] },
      { num_samples: 2 },
    ],
    ["1 sequences for num_samples 2", { sequences: [sequence] }, { num_samples: 2 }],
    ["2 sequences for num_samples 1", { sequences: [sequence, sequence] }, {}],
    ["0 sequences for num_samples 1", { sequences: [] }, {}],
    [
      "1 topk_logprobs for the 2 tokens of sequences[0]",
      { sequences: [{ ...sequence, topk_logprobs: [row] }] },
      { topk_sample_logprobs: 1 },
    ],
    [
      "4 topk_prompt_logprobs for a prompt of 3 tokens; it must give 3",
      { topk_prompt_logprobs: [null, row, row, row] },
      { topk_prompt_logprobs: 1 },
    ],
    [
      "target_prompt_logprobs of shape [1, 2]; it must be [2, 1]",
      { target_prompt_logprobs: tensor([1, 2]) },
      { target_prompt_logprobs: [[6], [7]] },
    ],
    [
      "target_prompt_logprobs of shape [3, 1]; it must be [2, 1]",
      { target_prompt_logprobs: tensor([3, 1]) },
      { target_prompt_logprobs: [[6], [7]] },
    ],
    [
      "prompt_alt_tokens.tokens of shape [3, 2]; it must be [2, 2]",
      { prompt_alt_tokens: { ...drawn, tokens: tensor([3, 2], "int64") } },
      { prompt_alt_tokens_k: 2 },
    ],
    [
      "prompt_alt_tokens.logprobs of shape [2, 1]; it must be [2, 2]",
      { prompt_alt_tokens: { ...drawn, logprobs: tensor([2, 1]) } },
      { prompt_alt_tokens_k: 2 },
    ],
  ])("is refused by name: %s", async (message, answer, asked) => {
    const { sampler } = await openSampler(answer);
    const drawing = sampler.sample({ ...params, ...asked });
    await expect(drawing).rejects.toBeInstanceOf(ResponseError);
    await expect(drawing).rejects.toThrow(`the service gave ${message}`);
  });

  it("is read where a server is known to give it", async () => {
    const short = await openSampler({ topk_prompt_logprobs: [row, row] });
    const { topk_prompt_logprobs } = await short.sampler.sample({ ...params, topk_prompt_logprobs: 1 });
    expect(topk_prompt_logprobs).toEqual([null, row, row]);
    const silent = await openSampler({ sequences: [{ stop_reason: "length", tokens: [8, 9] }] });
    expect((await silent.sampler.sample(params)).sequences[0]?.logprobs).toBeUndefined();
  });

  // NovaSky-AI/SkyRL writes empty lists in JSON for what it does not compute; in protobuf an empty list is an absent one.
  it("is absent where a server writes an empty list in JSON", () => {
    const request = {
      prompt: { chunks: [{ tokens: [5, 6, 7] }] },
      sampling_params: { max_tokens: 2 },
      sampling_session_id: "S:sample:0",
    };
    const absent: string[] = [];
    const read = (asked: object, scores: object) =>
      readScores(
        { ...request, ...asked },
        {
          sequences: [{ ...sequence, ...scores }],
          prompt_cache_hit_tokens: 0,
          prompt_logprobs: [],
          topk_prompt_logprobs: [],
        },
        (field) => absent.push(field),
      );
    const empty = { logprobs: [], topk_logprobs: [] };
    const { stop_reason, tokens } = sequence;
    const sequences = [{ stop_reason, tokens }];
    expect(read({}, empty)).toStrictEqual({ sequences, prompt_cache_hit_tokens: 0 });
    expect(absent).toEqual([]);
    read({ prompt_logprobs: true, topk_prompt_logprobs: 1, topk_sample_logprobs: 1 }, empty);
    expect(absent).toEqual(["prompt_logprobs", "topk_prompt_logprobs", "topk_sample_logprobs"]);
    expect(read({}, { tokens: [], logprobs: [] }).sequences[0]?.logprobs).toEqual([]);
  });

  it("is a null for a prompt of one token, of which a server leaves out the first score", () => {
    const request = { prompt: { chunks: [{ tokens: [5] }] }, sampling_params: { max_tokens: 2 } };
    const answer = { sequences: [sequence], prompt_logprobs: [], prompt_cache_hit_tokens: 0 };
    expect(readScores({ ...request, prompt_logprobs: true }, answer, () => {}).prompt_logprobs).toEqual([
      null,
    ]);
  });

  it("is not counted for a prompt whose tokens the service alone can count, but for its width", async () => {
    const { sampler } = await openSampler({
      prompt_logprobs: [null, -1, -2, -3, -4],
      prompt_alt_tokens: { tokens: tensor([4, 2], "int64"), logprobs: tensor([3, 2]) },
    });
    const image = { data: new Uint8Array(4), format: "png", type: "image" } as const;
    const asked = { ...params, prompt: { chunks: [{ tokens: [1] }, image] }, prompt_logprobs: true };
    expect((await sampler.sample(asked)).prompt_logprobs).toHaveLength(5);
    await expect(sampler.sample({ ...asked, prompt_alt_tokens_k: 2 })).rejects.toThrow(
      "prompt_alt_tokens.logprobs of shape [3, 2]; it must be [4, 2]",
    );
  });
});

describe("target_prompt_logprobs", () => {
  it.each([
    [
      "nested lists",
      [
        [5, 6],
        [7, -1],
      ],
    ],
    ["a record", { data: [5, 6, 7, -1], dtype: "int64" as const, shape: [2, 2] }],
  ])("may be %s", async (_, target_prompt_logprobs) => {
    const { stub, sampler } = await openSampler({});
    await sampler.sample({ ...params, target_prompt_logprobs });
    expect(stub.seen("asample")[0]?.json?.target_prompt_logprobs).toMatchObject({
      data: [5, 6, 7, -1],
      dtype: "int64",
      shape: [2, 2],
    });
  });
});

describe("fields of a newer service", () => {
  it("are sent when that is asked for, else refused with that advice", async () => {
    const { stub, sampler } = await openSampler({});
    const newer = {
      prompt: [1],
      sampling_params: { max_tokens: 1, min_p: 0.1 },
      grammar: "json",
    } as SampleParams;
    expect(() => sampler.sample(newer)).toThrow(/grammar/);
    await sampler.sample(newer, { unchecked: true });
    expect(stub.seen("asample")[0]?.json).toMatchObject({
      grammar: "json",
      sampling_params: { max_tokens: 1, min_p: 0.1 },
      num_samples: 1,
    });
  });
});
