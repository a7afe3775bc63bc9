import { ResponseError, ValidationError } from "@tinkex/base";
import { toNumbers } from "@tinkex/tensor";
import { graphLoss, type LossGraph, lossGraph } from "@tinkex/tensor/loss-graph";
import { describe, expect, it } from "vitest";
import { openService } from "../../testing/open-service.js";
import type { DatumLike } from "../passes/prepare-data.js";
import { clippedRatio, negativeLogLikelihood, ON_SERVER, openLosses } from "./testing/open-losses.js";

const float = (...data: number[]) =>
  ({ data: Float32Array.from(data), dtype: "float32", shape: [data.length] }) as const;

/** Three datums whose log-probabilities are [-3, -1] at the stub. */
const data: readonly DatumLike[] = [1, 2, 3].map(() => ({
  model_input: [5, 6],
  loss_fn_inputs: { target_tokens: [3, 1], weights: [1, 2] },
}));

describe("a loss that the service does not run", () => {
  it("newest-clients 25: runs here, sends minus its gradient, and gives its value and metrics", async () => {
    const { service, training, passes, uploads } = await openLosses();
    const handle = await service.createCustomLoss(negativeLogLikelihood);
    expect({
      name: handle.name,
      inputs: handle.inputs,
      sessionId: handle.sessionId,
      lossId: handle.lossId,
    }).toEqual({
      name: "nll",
      inputs: negativeLogLikelihood.inputs,
      sessionId: "S",
      lossId: undefined,
    });
    const { metrics } = await training.forwardBackwardCustom(data, handle);
    expect(metrics).toEqual({
      "custom/neg:sum": 15,
      "custom/m:mean": -2,
      "loss:sum": 15,
      "surrogate_loss:sum": 3,
    });
    expect(uploads()).toEqual([]);
    const [forward, backward] = passes();
    expect([forward?.forward_only, backward?.forward_only]).toEqual([true, false]);
    const weights = backward?.forward_backward_input.data.map(
      ({ loss_fn_inputs }) => loss_fn_inputs.weights?.data,
    );
    expect(weights).toEqual(data.map(() => Float32Array.of(1, 2)));
  });

  it("newest-wire 32: gives the numbers of the recorded clipped ratio", async () => {
    const loss = graphLoss(clippedRatio);
    const datum = (sampled: number[], advantages: number[]) => ({
      model_input: { chunks: [] },
      loss_fn_inputs: {
        target_tokens: { data: sampled.map(() => 1), dtype: "int64" as const },
        sampled: float(...sampled),
        advantages: float(...advantages),
      },
    });
    const value = await loss(
      [datum([-1, -2], [1, -1]), datum([-1], [2])],
      [Float32Array.of(-0.5, -2), Float32Array.of(-1)],
    );
    expect(value.loss).toBeCloseTo(-2.200000047683716, 7);
    expect(value.metrics?.["custom/ratio:mean"]).toBeCloseTo(1.1621803045272827, 7);
    expect(value.metrics?.["custom/n:sum"]).toBe(3);
    expect(value.gradients.map((gradient) => Array.from(gradient, (each) => each + 0))).toEqual([
      [0, 1],
      [-2],
    ]);
  });

  it("names the datum for which the service gave another number of log-probabilities", async () => {
    const loss = graphLoss(negativeLogLikelihood);
    const inputs = { target_tokens: { data: [3, 1], dtype: "int64" }, weights: float(1, 2) } as const;
    const datum = { model_input: { chunks: [] }, loss_fn_inputs: inputs };
    const run = async () => loss([datum, datum], [Float32Array.of(-3, -1), Float32Array.of(-3)]);
    await expect(run).rejects.toThrow(ResponseError);
    await expect(run).rejects.toThrow(
      'data[1]: loss "nll": the service gave 1 logprobs for 2 target_tokens; the loss needs one each',
    );
  });

  it("newest-clients 24: takes one turn, so that what is called after it comes after both passes", async () => {
    const { stub, training, passes } = await openLosses({ fwdbwd_max_chunk_len: 2 });
    const handle = await training.createCustomLoss(negativeLogLikelihood);
    const pass = training.forwardBackwardCustom(data, handle);
    await Promise.all([pass, training.optimStep()]);
    expect(passes().map(({ seq_id }) => seq_id)).toEqual([2, 1, 4, 3]);
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(5);
  });

  it("newest-clients 27: a loss that fails while it runs leaves the client usable, without a gap", async () => {
    const { training, stub } = await openLosses();
    const counting = lossGraph("counting", { logprobs: 1, counts: 1 }, ({ logprobs, counts }) => ({
      loss: logprobs.mul(counts.pow(-1)).sum(),
    }));
    const handle = await training.createCustomLoss(counting);
    const counts = { data: [2, 2], dtype: "int64" } as const;
    const datum = { model_input: [5, 6], loss_fn_inputs: { target_tokens: [3, 1], counts } };
    await expect(training.forwardBackwardCustom([datum], handle)).rejects.toThrow(
      'forwardBackwardCustom: data[0]: loss "counting": node "pow_1" (operator.pow): gives 0.5 at index 0, which must be an integer within 2^53',
    );
    await training.optimStep();
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(2);
  });

  it("is refused by its name where its value is not finite though its gradient is", async () => {
    const { service, training } = await openLosses();
    const graph = lossGraph("shifted", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => ({
      loss: logprobs.sum().add(weights.log().sum()),
    }));
    const handle = await service.createCustomLoss(graph);
    const below = data.map((datum) => ({
      ...datum,
      loss_fn_inputs: { ...datum.loss_fn_inputs, weights: [-1, 2] },
    }));
    await expect(training.forwardBackwardCustom(below, handle)).rejects.toThrow(
      'the custom loss "shifted" is NaN for this batch: it must be finite',
    );
    await training.optimStep();
  });

  it("reads a sparse tensor, an int64 one and a scalar as torch does", async () => {
    const { training, passes } = await openLosses();
    const mixed = lossGraph(
      "mixed",
      { logprobs: 2, weights: 2, counts: 1, scale: 0 },
      ({ logprobs, weights, counts, scale }) => ({
        loss: logprobs.mul(weights).sum({ dim: 1 }).mul(counts).sum().mul(scale),
      }),
    );
    const handle = await training.createCustomLoss(mixed);
    const inputs = {
      target_tokens: [
        [1, 2],
        [3, 4],
      ],
      weights: {
        data: [5, 7],
        dtype: "float32",
        shape: [2, 2],
        sparse_crow_indices: [0, 1, 2],
        sparse_col_indices: [1, 0],
      },
      counts: { data: BigInt64Array.of(2n, 3n), dtype: "int64" },
      scale: { data: [0.5], dtype: "float32", shape: [] },
    } as const;
    const { metrics } = await training.forwardBackwardCustom(
      [{ model_input: [1, 2], loss_fn_inputs: inputs }],
      handle,
    );
    // Half of 2 · 5 · -2 and 3 · 7 · -3.
    expect(metrics["loss:sum"]).toBe(-41.5);
    const sent = passes()[1]?.forward_backward_input.data[0]?.loss_fn_inputs.weights;
    expect(sent && { shape: sent.shape, data: toNumbers(sent).map((each) => each + 0) }).toEqual({
      shape: [2, 2],
      data: [0, -5, -10.5, 0],
    });
  });
});

describe("a loss that the service runs", () => {
  it("newest-wire 32, newest-clients 29: is uploaded once, and each pass is one request with the datum as it is", async () => {
    const { service, training, passes, uploads, stub } = await openLosses(ON_SERVER);
    const handle = await service.createCustomLoss(negativeLogLikelihood);
    expect(handle.lossId).toBe("S:loss:0");
    const { metrics } = await training.forwardBackwardCustom(data, handle);
    await training.forwardBackwardCustom(data, handle);
    expect(uploads()).toEqual([
      {
        session_id: "S",
        custom_loss_seq_id: 0,
        name: "nll",
        inputs: negativeLogLikelihood.inputs,
        graph: JSON.parse(JSON.stringify(negativeLogLikelihood.graph)),
        type: "create_custom_loss",
      },
    ]);
    expect(stub.seen("create_custom_loss")[0]?.headers["x-sdk-method"]).toBe(
      "ServiceClient.create_custom_loss",
    );
    expect(passes()).toHaveLength(2);
    expect(passes()[0]).toMatchObject({ forward_only: false, seq_id: 1 });
    const { data: sent, ...input } = passes()[0]?.forward_backward_input ?? { data: [] };
    expect(input).toEqual({ loss_fn: "custom", loss_fn_config: { loss_id: "S:loss:0" } });
    const keys = sent.map(({ loss_fn_inputs }) => Object.keys(loss_fn_inputs).sort());
    expect(keys).toEqual(data.map(() => ["target_tokens", "weights"]));
    expect(sent[0]?.loss_fn_inputs.weights?.data).toEqual(Float32Array.of(1, 2));
    // The metrics are the service's.
    expect(metrics).toEqual({ "loss:sum": 3 });
  });

  it("may read integers that a number cannot hold, which a loss that runs here cannot", async () => {
    const marked = lossGraph("marked", { logprobs: 1, marks: 1 }, ({ logprobs, marks }) => ({
      loss: logprobs.mul(marks).sum(),
    }));
    const marks = { data: BigInt64Array.of(1n, 2n ** 60n), dtype: "int64" } as const;
    const datum = { model_input: [5, 6], loss_fn_inputs: { target_tokens: [3, 1], marks } };
    const remote = await openLosses(ON_SERVER);
    await remote.training.forwardBackwardCustom([datum], await remote.training.createCustomLoss(marked));
    const [pass] = remote.passes();
    expect(pass?.forward_backward_input.data[0]?.loss_fn_inputs.marks?.data).toEqual(marks.data);
    const local = await openLosses();
    const handle = await local.training.createCustomLoss(marked);
    const run = () => local.training.forwardBackwardCustom([datum], handle);
    expect(run).toThrow(ValidationError);
    expect(run).toThrow("1152921504606846976 is beyond 2^53");
    expect(local.passes()).toEqual([]);
  });

  const foreign: LossGraph = {
    name: "foreign",
    inputs: [{ name: "logprobs", rank: 1 }],
    graph: {
      nodes: [
        { op: "placeholder", name: "logprobs", target: "logprobs" },
        { op: "call_function", name: "erf", target: "torch.erf", args: [{ ref: "logprobs" }] },
        { op: "call_method", name: "s", target: "sum", args: [{ ref: "erf" }] },
        { op: "output", name: "output", target: "output", args: [{ tuple: [{ ref: "s" }, { dict: {} }] }] },
      ],
    },
  };

  it("takes operations that only the service knows when it is asked to", async () => {
    const { service, training, passes } = await openLosses(ON_SERVER);
    expect(() => service.createCustomLoss(foreign)).toThrow(
      'node "erf" (torch.erf): unknown operation "torch.erf"',
    );
    const handle = await service.createCustomLoss(foreign, { unchecked: true });
    await training.forwardBackwardCustom(data, handle);
    expect(passes().map(({ forward_backward_input: { loss_fn } }) => loss_fn)).toEqual(["custom"]);
    expect(() => training.forwardBackwardCustom([{ model_input: [1], loss_fn_inputs: {} }], handle)).toThrow(
      'data[0].loss_fn_inputs.target_tokens is missing, which the loss "foreign" reads',
    );
  });

  it("refuses them where the service does not run losses", async () => {
    const { service } = await openLosses();
    await expect(service.createCustomLoss(foreign, { unchecked: true })).rejects.toThrow(
      'createCustomLoss: loss "foreign": the service does not run custom losses, and unchecked ones cannot run here',
    );
  });
});

describe.each([
  ["here", {}],
  ["on the service", ON_SERVER],
])("a loss that runs %s", (_, config) => {
  it("newest-wire 33, newest-clients 28: is refused by clients of another session, before anything is sent", async () => {
    const { training } = await openLosses(config);
    const handle = await training.createCustomLoss(negativeLogLikelihood);
    const foreignService = await openService();
    foreignService.stub.on("create_session", () => ({ body: { session_id: "S2" } }));
    const foreign = await foreignService.service.createLoraTrainingClient({ base_model: "b" });
    const run = () => foreign.forwardBackwardCustom(data, handle);
    expect(run).toThrow(ValidationError);
    expect(run).toThrow(
      'forwardBackwardCustom: the loss "nll" was created in session S, and this client is of session S2; create the loss there too',
    );
    expect(foreignService.stub.seen("forward_backward")).toEqual([]);
  });

  const datumOf = (inputs: DatumLike["loss_fn_inputs"]): DatumLike[] => [
    ...data,
    { model_input: [5, 6], loss_fn_inputs: inputs },
  ];

  it.each<[string, DatumLike[], string]>([
    [
      "a missing input",
      datumOf({ target_tokens: [3, 1] }),
      'forwardBackwardCustom: data[3].loss_fn_inputs.weights is missing, which the loss "nll" reads',
    ],
    [
      "targets that are no token ids",
      datumOf({ target_tokens: [3, -1], weights: [1, 2] }),
      "data[3].loss_fn_inputs.target_tokens must hold token ids of 0 or more, got -1 at index 1",
    ],
    [
      "missing targets",
      datumOf({ weights: [3, 1] }),
      'data[3].loss_fn_inputs.target_tokens is missing, which the loss "nll" reads',
    ],
    [
      "targets of two dimensions",
      datumOf({ target_tokens: [[3, 1]], weights: [1, 2] }),
      'data[3].loss_fn_inputs.target_tokens must have rank 1, which the loss "nll" declares for logprobs, got rank 2 (shape [1, 2])',
    ],
    [
      "a scalar for a list",
      datumOf({ target_tokens: [3, 1], weights: { data: [1], dtype: "float32", shape: [] } }),
      'data[3].loss_fn_inputs.weights must have rank 1, which the loss "nll" declares for weights, got rank 0 (shape [])',
    ],
    [
      "shapes that do not fit",
      datumOf({ target_tokens: [3, 1], weights: [1, 2, 3] }),
      'forwardBackwardCustom: data[3]: loss "nll": node "mul" (operator.mul): shapes [2] and [3] do not broadcast',
    ],
  ])(
    "newest-wire 31, newest-clients 28: names datum and key of %s, before anything is sent",
    async (_, bad, message) => {
      const { training, stub } = await openLosses(config);
      const handle = await training.createCustomLoss(negativeLogLikelihood);
      const before = stub.requests.length;
      const run = () => training.forwardBackwardCustom(bad, handle);
      expect(run).toThrow(ValidationError);
      expect(run).toThrow(message);
      expect(stub.requests).toHaveLength(before);
    },
  );

  it("newest-wire 31: a shape that is not stated is one dimension", async () => {
    const { training } = await openLosses(config);
    const handle = await training.createCustomLoss(negativeLogLikelihood);
    const inputs = { target_tokens: [3, 1], weights: { data: [1, 2], dtype: "float32" } } as const;
    const { metrics } = await training.forwardBackwardCustom(
      [{ model_input: [5, 6], loss_fn_inputs: inputs }],
      handle,
    );
    expect(metrics["loss:sum"]).toBeDefined();
  });

  it("names datum, node and dtype of integers where floats are needed", async () => {
    const { training } = await openLosses(config);
    const averaging = lossGraph("averaging", { logprobs: 1, counts: 1 }, ({ logprobs, counts }) => ({
      loss: logprobs.sum().mul(counts.mean()),
    }));
    const handle = await training.createCustomLoss(averaging);
    const inputs = { target_tokens: [3, 1], counts: { data: [1, 2], dtype: "int64" } } as const;
    expect(() =>
      training.forwardBackwardCustom([{ model_input: [5, 6], loss_fn_inputs: inputs }], handle),
    ).toThrow(
      'forwardBackwardCustom: data[0]: loss "averaging": node "mean" (.mean): is defined for float32 only, got int64; cast with .to("float32") first',
    );
  });

  it("names datum and node of a value that would not fit into memory", async () => {
    const { training } = await openLosses(config);
    const pairs = lossGraph("pairs", { logprobs: 1 }, ({ logprobs }) => ({
      loss: logprobs.at("...", null).sub(logprobs).abs().sum(),
    }));
    const handle = await training.createCustomLoss(pairs);
    const target_tokens = new Int32Array(10_000);
    const datum = { model_input: [...target_tokens], loss_fn_inputs: { target_tokens } };
    expect(() => training.forwardBackwardCustom([datum], handle)).toThrow(
      'data[0]: loss "pairs": node "sub" (operator.sub): gives 100000000 elements (shape [10000, 10000]), and may have 67108864',
    );
  });
});
