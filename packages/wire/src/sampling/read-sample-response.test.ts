import type { SampleResponse } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { DecodeError } from "../decode-error.js";
import { hex } from "../testing/hex.js";
import { readSampleResponse } from "./read-sample-response.js";
import { writeSampleResponse } from "./write-sample-response.js";

function read(text: string): SampleResponse {
  return readSampleResponse(hex(text));
}

const SEQUENCE = "0a160801 12080500000006000000 1a08000000bf000080bf";
const PROMPT = `12080000c07f000000c0
  1a280a1000000000000000000700000000000000 1210804fc3c7804fc3c7000080be804fc3c7 18022002 2003`;

/** A prompt top-k of one row with k = 3. */
function row(ids: number[], logprobs: number[]): string {
  const matrix = new Uint8Array(24);
  const view = new DataView(matrix.buffer);
  ids.forEach((id, index) => {
    view.setInt32(4 * index, id, true);
  });
  logprobs.forEach((logprob, index) => {
    view.setFloat32(12 + 4 * index, logprob, true);
  });
  const digits = Array.from(matrix, (value) => value.toString(16).padStart(2, "0")).join("");
  return `1a20 0a0c${digits.slice(0, 24)} 120c${digits.slice(24)} 18032001`;
}

const EMPTY = -99999;

describe("the protobuf form of a sample result", () => {
  it("protobuf 12: one sequence, then with prompt scores", () => {
    const sequence = { stop_reason: "length", tokens: [5, 6], logprobs: [-0.5, -1] };
    expect(read(SEQUENCE)).toEqual({ sequences: [sequence], prompt_cache_hit_tokens: 0 });
    expect(read(SEQUENCE + PROMPT)).toEqual({
      sequences: [sequence],
      prompt_logprobs: [null, -2],
      topk_prompt_logprobs: [null, [[7, -0.25]]],
      prompt_cache_hit_tokens: 3,
    });
    expect(read("0a00").sequences).toEqual([{ stop_reason: "stop", tokens: [] }]);
    expect(read("")).toEqual({ sequences: [], prompt_cache_hit_tokens: 0 });
  });

  it.each<[number[], number[], [number, number][] | null]>([
    [[0, 5, 0], [EMPTY, -1, EMPTY], null],
    [
      [5, 0, 6],
      [-1, EMPTY, -2],
      [
        [5, -1],
        [0, EMPTY],
        [6, -2],
      ],
    ],
    [
      [0, 1, 2],
      [-0.5, -1, -2],
      [
        [0, -0.5],
        [1, -1],
        [2, -2],
      ],
    ],
    [[7, 0, 0], [-0.25, EMPTY, EMPTY], [[7, -0.25]]],
  ])("protobuf 13: top-k row %j %j", (ids, logprobs, expected) => {
    expect(read(row(ids, logprobs)).topk_prompt_logprobs).toEqual([expected]);
  });

  it("protobuf 14: no top-k matrix, one too short, one too long", () => {
    expect(read("1a00").topk_prompt_logprobs).toBeUndefined();
    const twelve = "0a0c070000000800000009000000 120c000080bf000080bf000080bf 1802";
    expect(() => read(`1a20 ${twelve} 2002`)).toThrow("12 bytes for a matrix of 2 × 2");
    expect(read(`1a20 ${twelve} 2001`).topk_prompt_logprobs).toEqual([
      [
        [7, -1],
        [8, -1],
      ],
    ]);
  });

  it("protobuf 15: prompt scores that are empty, NaN, or minus infinity", () => {
    expect(read("1200").prompt_logprobs).toBeUndefined();
    expect(read("12040000c07f").prompt_logprobs).toEqual([null]);
    expect(read("1204000080ff").prompt_logprobs).toEqual([Number.NEGATIVE_INFINITY]);
  });

  it("protobuf 16: logprobs that are present but empty", () => {
    expect(read("0a021a00").sequences).toEqual([{ stop_reason: "stop", tokens: [] }]);
  });

  it("protobuf 17: an unknown stop reason is never shown as a known one", () => {
    expect(read("0a020802").sequences[0]?.stop_reason).toBe("unknown(2)");
  });

  it("newest-wire 1: top-k per sampled token", () => {
    const body = `0a40 0801 12080500000006000000 1a08000000bf000080bf
      2228 0a1005000000090000000600000000000000 1210000000bf000000c0000080bf804fc3c7 18022002`;
    expect(read(body).sequences[0]?.topk_logprobs).toEqual([
      [
        [5, -0.5],
        [9, -2],
      ],
      [[6, -1]],
    ]);
    expect(read("0a022200").sequences[0]).toEqual({ stop_reason: "stop", tokens: [] });
  });

  it.each<[string, string, Partial<SampleResponse>]>([
    [
      "dense targets",
      "0a002a100a08000080be0000000018012202 0201",
      { target_prompt_logprobs: { data: new Float32Array([-0.25, 0]), dtype: "float32", shape: [2, 1] } },
    ],
    [
      "sparse targets",
      `2a32122a0a04000080be1218000000000000000000000000000000000100000000000000
       1a0800000000000000001801 22020201`,
      {
        target_prompt_logprobs: {
          data: new Float32Array([-0.25]),
          dtype: "float32",
          shape: [2, 1],
          sparse_crow_indices: [0, 0, 1],
          sparse_col_indices: [0],
        },
      },
    ],
    [
      "alternative tokens",
      `32340a180a1007000000080000000900000 00a0000001803 22020202
       12180a10000080bf000000c0000040c0000080c01801 22020202`,
      {
        prompt_alt_tokens: {
          tokens: { data: new BigInt64Array([7n, 8n, 9n, 10n]), dtype: "int64", shape: [2, 2] },
          logprobs: { data: new Float32Array([-1, -2, -3, -4]), dtype: "float32", shape: [2, 2] },
        },
      },
    ],
    [
      "prompt scores",
      "120c0000c07f0000c07f000000bf2002",
      { prompt_logprobs: [null, null, -0.5], prompt_cache_hit_tokens: 2 },
    ],
    [
      "no targets",
      "2a06180122020001",
      { target_prompt_logprobs: { data: new Float32Array(0), dtype: "float32", shape: [0, 1] } },
    ],
    [
      "a scalar",
      "2a080a040000c03f1801",
      { target_prompt_logprobs: { data: new Float32Array([1.5]), dtype: "float32", shape: [] } },
    ],
  ])("newest-wire 1: %s", (_, body, expected) => {
    expect(read(body)).toMatchObject(expected);
  });

  it.each([
    ["an empty pair of tensors", "3200", "prompt_alt_tokens.tokens"],
    ["a tensor without dtype", "2a00", "dtype 0"],
    [
      "three elements for [2, 1]",
      "2a140a0c0000803f0000004000004040180122020201",
      "[2, 1] does not hold 3 elements",
    ],
  ])("newest-wire 1: %s is an error", (_, body, message) => {
    expect(() => read(body)).toThrow(DecodeError);
    expect(() => read(body)).toThrow(message);
  });

  it("newest-wire 6: bfloat16 is widened, CSR is checked, int32 keeps its sign", () => {
    const bfloat16 = read("2a0c 0a04803f00bf 1804 22020201").target_prompt_logprobs;
    expect(bfloat16).toEqual({ data: new Float32Array([1, -0.5]), dtype: "float32", shape: [2, 1] });
    const brokenCsr = `2a32122a0a04000080be1218000000000000000000000000000000000200000000000000
       1a0800000000000000001801 22020201`;
    expect(() => read(brokenCsr)).toThrow("sparse_col_indices");
    const int32 = read("2a0c 0a04ffffffff 1803 22020101").target_prompt_logprobs;
    expect(int32?.data).toEqual(new BigInt64Array([-1n]));
  });

  it("newest-wire 7: unknown fields of responses and sequences are passed over", () => {
    expect(read("3801 0a04 2801 0801").sequences).toEqual([{ stop_reason: "length", tokens: [] }]);
  });

  it("newest-wire 8: bytes of the 0.25 schema decode unchanged", () => {
    expect(read(PROMPT).topk_prompt_logprobs).toEqual([null, [[7, -0.25]]]);
  });

  it("writes no token beyond int32 and no count that is none", () => {
    const sequences = [{ stop_reason: "stop", tokens: [1, 2 ** 31] }];
    expect(() => writeSampleResponse({ sequences, prompt_cache_hit_tokens: 0 })).toThrow(
      "sequences[0].tokens[1] must be an integer of 32 bits, got 2147483648",
    );
    expect(() => writeSampleResponse({ sequences: [], prompt_cache_hit_tokens: -1 })).toThrow(
      "must be a count, got -1",
    );
  });

  it("reads back positions without any likely token", () => {
    const response = { sequences: [], prompt_cache_hit_tokens: 0, topk_prompt_logprobs: [null, null] };
    expect(readSampleResponse(writeSampleResponse(response))).toEqual(response);
  });

  it("reads back all that it writes", () => {
    const response: SampleResponse = {
      sequences: [
        {
          stop_reason: "stop",
          tokens: [1, 2],
          logprobs: [-0.5, Number.NEGATIVE_INFINITY],
          topk_logprobs: [[[1, -0.5]], null],
        },
        { stop_reason: "length", tokens: [] },
      ],
      prompt_logprobs: [null, -0.125],
      topk_prompt_logprobs: [
        null,
        [
          [3, -1],
          [0, -2],
        ],
      ],
      prompt_cache_hit_tokens: 300,
      target_prompt_logprobs: { data: new Float32Array([-1]), dtype: "float32", shape: [1, 1] },
      prompt_alt_tokens: {
        tokens: { data: new BigInt64Array([4n]), dtype: "int64", shape: [1, 1] },
        logprobs: { data: new Float32Array([-2]), dtype: "float32", shape: [1, 1] },
      },
    };
    expect(readSampleResponse(writeSampleResponse(response))).toEqual(response);
  });
});
