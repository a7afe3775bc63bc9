import { deferred } from "@tinkex/base";
import type { ForwardBackwardOutput } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { datums, readPass } from "../../testing/examples.js";
import { openTraining } from "../../testing/open-training.js";
import { combineOutputs, reduceMetrics } from "./combine-outputs.js";

const reduce = (...chunks: [datumCount: number, metrics: Record<string, number>][]) =>
  reduceMetrics(chunks.map(([datumCount, metrics]) => ({ datumCount, metrics }))).metrics;

describe("metrics of several chunks", () => {
  it("clients 33: `sum` adds up, whatever the weights", () => {
    expect(reduce([3, { "b:sum": 1 }], [1, { "b:sum": 2.5 }])).toEqual({ "b:sum": 3.5 });
    expect(reduce([1, { "b:sum": 1 }], [1000, { "b:sum": 2.5 }])).toEqual({ "b:sum": 3.5 });
    const tenths = reduce([1, { "b:sum": 0.1 }], [1, { "b:sum": 0.2 }], [1, { "b:sum": 0.3 }]);
    expect(tenths).toEqual({ "b:sum": 0.6000000000000001 });
  });

  it("clients 34: `min` and `max` keep the extreme, and NaN wherever it comes", () => {
    expect(reduce([1, { "c:min": 3, "d:max": 3 }], [1, { "c:min": -1, "d:max": 9 }])).toEqual({
      "c:min": -1,
      "d:max": 9,
    });
    const [first, last] = [
      reduce([1, { "c:min": Number.NaN, "d:max": Number.NaN }], [1, { "c:min": 1, "d:max": 1 }]),
      reduce([1, { "c:min": 1, "d:max": 1 }], [1, { "c:min": Number.NaN, "d:max": Number.NaN }]),
    ];
    const none = { "c:min": Number.NaN, "d:max": Number.NaN };
    expect([first, last]).toEqual([none, none]);
  });

  it("clients 35: `slack` is the largest less the mean by datums", () => {
    expect(reduce([3, { "e:slack": 1 }], [1, { "e:slack": 5 }])).toEqual({ "e:slack": 3 });
    expect(reduce([1024, { "e:slack": 1 }], [1, { "e:slack": 2 }])).toEqual({
      "e:slack": 0.9990243902439024,
    });
  });
});

describe("outputs of several chunks", () => {
  it("clients 42: come back in the order of the data, whatever chunk is done first", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
    const usual = stub.usual("retrieve_future");
    // The first of them was the creation of the model.
    stub.on("retrieve_future", async (request) => {
      await gates[Number(String(request.json?.request_id).slice(1)) - 2]?.promise;
      return usual(request);
    });
    const future = training.forwardBackward(datums(3), "cross_entropy");
    await future.submitted;
    const bySeqId = stub
      .seen("forward_backward")
      .map(readPass)
      .map(({ seq_id }) => seq_id);
    expect(bySeqId.sort()).toEqual([1, 2, 3]);
    for (const chunk of [2, 0, 1]) {
      gates[chunk]?.resolve();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const { loss_fn_outputs } = await future;
    // The stub's log-probabilities are minus the target tokens, which tell the datums apart.
    expect(loss_fn_outputs.map(({ logprobs }) => [...(logprobs?.data ?? [])])).toEqual([
      [-0, -1],
      [-1, -2],
      [-2, -3],
    ]);
  });

  it("clients 42: have the type of the first, and none of no results", () => {
    const result = (loss_fn_output_type: string): ForwardBackwardOutput => ({
      loss_fn_output_type,
      loss_fn_outputs: [],
      metrics: {},
    });
    expect(combineOutputs([result("First"), result("Second")]).loss_fn_output_type).toBe("First");
    expect(combineOutputs([])).toMatchObject({
      loss_fn_output_type: "",
      loss_fn_outputs: [],
      metrics: {},
    });
  });
});
