import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";

/** Bytes of a SampleResponse in protobuf: one sequence of one token, and a top-k matrix of rows of ids and log-probabilities. */
function sampleBytes(rows: readonly (readonly [number, number][])[]): Buffer {
  const topCount = rows[0]?.length ?? 0;
  const ids = Int32Array.from(rows.flat(), ([id]) => id);
  const scores = Float32Array.from(rows.flat(), ([, score]) => score);
  const field = (tag: number, bytes: Uint8Array) => Buffer.from([tag, bytes.byteLength, ...bytes]);
  const sequence = Buffer.concat([
    Buffer.from([0x08, 1]),
    field(0x12, new Uint8Array(Int32Array.of(5).buffer)),
    field(0x1a, new Uint8Array(Float32Array.of(-1).buffer)),
  ]);
  const matrix = Buffer.concat([
    field(0x0a, new Uint8Array(ids.buffer)),
    field(0x12, new Uint8Array(scores.buffer)),
    Buffer.from([0x18, topCount, 0x20, rows.length]),
  ]);
  return Buffer.concat([field(0x0a, sequence), ...(topCount === 0 ? [] : [field(0x1a, matrix)])]);
}

const EMPTY: [number, number] = [0, -99999];

/** Samples from a service whose answer has this top-k matrix. */
async function topkOf(rows: readonly (readonly [number, number][])[]) {
  const { stub, service } = await openService();
  const sampler = await service.createSamplingClient({ base_model: "b" });
  stub.on("retrieve_future", () => ({ body: sampleBytes(rows) }));
  const sample = sampler.sample({
    prompt: [1, 2, 3],
    sampling_params: { max_tokens: 1 },
    topk_prompt_logprobs: rows[0]?.length ?? 0,
  });
  return (await sample).topk_prompt_logprobs;
}

describe("the likeliest tokens of a prompt", () => {
  it("clients 75: are null where a row is filler, and end where the filler of a row begins", async () => {
    const rows = await topkOf([
      [EMPTY, EMPTY],
      [[7, -0.25], EMPTY],
      [
        [8, -1],
        [9, -2],
      ],
    ]);
    expect(rows).toEqual([
      null,
      [[7, -0.25]],
      [
        [8, -1],
        [9, -2],
      ],
    ]);
  });

  it("clients 75: are absent where none were asked for", async () => {
    expect(await topkOf([])).toBeUndefined();
  });
});
