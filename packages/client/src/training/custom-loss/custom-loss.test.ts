import { AbortedError, deferred, ValidationError } from "@tinkex/base";
import type { CustomLoss } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { datum, readPass } from "../../testing/examples.js";
import { openService, pauseForSockets } from "../../testing/open-service.js";
import { customBackwardData, customForwardData } from "./custom-loss.js";

async function openTraining(config: object = {}) {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: config }));
  const training = await open.service.createLoraTrainingClient({ base_model: "b" });
  const passes = () => open.stub.seen("forward_backward").map(readPass);
  return { ...open, training, passes };
}

/** -Σ logprob · weight over the caller's own input `advantages`, with its gradient. */
const weighted: CustomLoss = (data, logprobs) => {
  const weights = data.map(({ loss_fn_inputs }) => Array.from(loss_fn_inputs.advantages?.data ?? [], Number));
  let loss = 0;
  const gradients = logprobs.map((values, index) =>
    Array.from(values, (value, position) => {
      const weight = weights[index]?.[position] ?? 0;
      loss -= value * weight;
      return -weight;
    }),
  );
  return { loss, gradients, metrics: { "mine:mean": 2 } };
};

const targets = { target_tokens: [3, 1], advantages: [1, 2] };

describe("forwardBackwardCustom", () => {
  it("clients 43: scores the targets first, then sends minus the gradient as weights", async () => {
    const { training, passes } = await openTraining();
    const given = { model_input: [5, 6], loss_fn_inputs: targets };
    // The stub's log-probabilities are minus the target tokens: [-3, -1].
    const result = await training.forwardBackwardCustom([given], weighted);
    const [forward, backward] = passes();
    expect(forward).toMatchObject({ forward_only: true, seq_id: 1 });
    expect(backward).toMatchObject({ forward_only: false, seq_id: 2 });
    expect(forward?.forward_backward_input).toMatchObject({ loss_fn: "cross_entropy" });
    const inputs = [forward, backward].map((pass) => pass?.forward_backward_input.data[0]?.loss_fn_inputs);
    expect(Object.keys(inputs[0] ?? {}).sort()).toEqual(["target_tokens", "weights"]);
    expect(inputs[0]?.weights).toEqual({ data: Float32Array.of(0, 0), dtype: "float32", shape: [2] });
    expect(inputs[1]?.weights).toEqual({ data: Float32Array.of(1, 2), dtype: "float32", shape: [2] });
    expect(given.loss_fn_inputs).toBe(targets);
    // newest-clients 25, 26: loss:sum is the value of the custom loss, the server's is that of the surrogate.
    expect(result.metrics).toEqual({ "loss:sum": 5, "surrogate_loss:sum": 1, "mine:mean": 2 });
  });

  it("clients 26, newest-clients 24: comes with both passes before what is called after it, chunks included", async () => {
    const { stub, training, passes } = await openTraining({ fwdbwd_max_chunk_len: 2 });
    const data = [1, 2, 3].map((token) => ({
      model_input: [token],
      loss_fn_inputs: { target_tokens: [token] },
    }));
    const custom = training.forwardBackwardCustom(data, (_, logprobs) => ({
      loss: 0,
      gradients: logprobs.map((values) => new Float32Array(values.length)),
    }));
    const optim = training.optimStep();
    await Promise.all([custom, optim]);
    expect(passes().map(({ seq_id }) => seq_id)).toEqual([2, 1, 4, 3]);
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(5);
  });

  it("clients 44: keeps the shape of targets with several candidates", async () => {
    const { training, passes } = await openTraining();
    const tokens = [
      [101, 102],
      [201, 202],
    ];
    await training.forwardBackwardCustom(
      [{ model_input: [1, 2], loss_fn_inputs: { target_tokens: tokens } }],
      async (_, logprobs) => ({ loss: 0, gradients: logprobs.map(() => [0, 0, 0.5, -0.5]) }),
    );
    const weights = passes().map((pass) => pass.forward_backward_input.data[0]?.loss_fn_inputs.weights);
    expect(weights.map((tensor) => tensor?.shape)).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(weights[1]?.data).toEqual(Float32Array.of(-0, -0, -0.5, 0.5));
  });

  it("clients 45: leaves weights that are given to the first pass", async () => {
    const { training, passes } = await openTraining();
    await training.forwardBackwardCustom([datum(1)], (_, logprobs) => ({
      loss: 0,
      gradients: [...logprobs],
    }));
    const weights = passes().map((pass) => pass.forward_backward_input.data[0]?.loss_fn_inputs.weights?.data);
    expect(weights).toEqual([Float32Array.of(0, 1), Float32Array.of(1, 2)]);
  });

  it("clients 46: refuses data without targets before anything is sent", async () => {
    const { training, passes } = await openTraining();
    const data = [{ model_input: [1], loss_fn_inputs: { weights: [1] } }];
    expect(() => training.forwardBackwardCustom(data, weighted)).toThrow(
      "data[0].loss_fn_inputs.target_tokens is missing",
    );
    expect(passes()).toEqual([]);
  });

  it.each([
    [{ target_tokens: [1, -100] }, "target_tokens must hold token ids of 0 or more, got -100 at index 1"],
    [
      { target_tokens: [1, 2], weights: [1] },
      "weights must have as many elements as target_tokens (2), got 1",
    ],
  ])("refuses targets that no service can score before anything is sent: %j", async (inputs, message) => {
    const { training, passes } = await openTraining();
    const data = [datum(1), { model_input: [1, 2], loss_fn_inputs: inputs }];
    const run = () => training.forwardBackwardCustom(data, weighted);
    expect(run).toThrow(ValidationError);
    expect(run).toThrow(`data[1].loss_fn_inputs.${message}`);
    expect(passes()).toEqual([]);
  });

  it("newest-clients 27: a loss that throws leaves the client usable, without a gap", async () => {
    const { stub, training, passes } = await openTraining();
    const failing = training.forwardBackwardCustom([datum(1)], () => {
      throw new Error("my own mistake");
    });
    const optim = training.optimStep();
    await expect(failing).rejects.toThrow("my own mistake");
    await optim;
    expect(passes().map(({ seq_id }) => seq_id)).toEqual([1]);
    expect(stub.seen("optim_step")[0]?.json?.seq_id).toBe(2);
  });

  it.each([
    ["never settles", () => {}],
    ["rejects afterwards", (reject: (error: Error) => void) => reject(new Error("too late"))],
  ])(
    "BR-022: an abort ends the waiting for a loss that %s, and the next operation goes on",
    async (_name, later) => {
      const { training, passes } = await openTraining();
      const controller = new AbortController();
      const lost = deferred<never>();
      const running = deferred<void>();
      const loss = (): Promise<never> => {
        running.resolve();
        return lost.promise;
      };
      const custom = training.forwardBackwardCustom([datum(1)], loss, { signal: controller.signal });
      const optim = training.optimStep();
      await running.promise;
      controller.abort();
      await expect(custom).rejects.toBeInstanceOf(AbortedError);
      await optim;
      // An unhandled rejection would fail the run.
      later(lost.reject);
      await pauseForSockets();
      expect(passes()).toHaveLength(1);
    },
  );

  it.each([
    ["nothing", undefined, "must give an object like { loss: 1.5, gradients: [[0.1, 0.2]] }, got undefined"],
    ["a number", 3, "must give an object like"],
    ["no value", { gradients: [[0, 0]] }, "must give its value as the number loss"],
    [
      "NaN with finite gradients",
      { loss: Number.NaN, gradients: [[0, 0]] },
      "the custom loss is NaN for this batch",
    ],
    [
      "an infinite value",
      { loss: -Infinity, gradients: [[0, 0]] },
      "the custom loss is -Infinity for this batch",
    ],
    ["no gradients", { loss: 1 }, "must give gradients as an array of one array for each datum"],
    ["gradients that are none", { loss: 1, gradients: [null] }, "must give gradients as an array"],
  ])("refuses a loss that gives %s, and the next operation goes on", async (_name, value, message) => {
    const { training } = await openTraining();
    const pass = training.forwardBackwardCustom([datum(1)], () => value as never);
    await expect(pass).rejects.toBeInstanceOf(ValidationError);
    await expect(pass).rejects.toThrow(message);
    await training.optimStep();
  });

  it("names a loss that is not finite by the name of its function", async () => {
    const { training } = await openTraining();
    const preference: CustomLoss = () => ({ loss: Number.NaN, gradients: [[0, 0]] });
    await expect(training.forwardBackwardCustom([datum(1)], preference)).rejects.toThrow(
      'the custom loss "preference" is NaN for this batch: it must be finite',
    );
  });

  it.each([
    ["no gradient for a datum", [[0, 0]], "gave 1 gradients for 2 datums"],
    ["a gradient of another length", [[0, 0], [0]], "the gradient of data[1] has 1 elements, its logprobs 2"],
    [
      "a gradient that is not finite",
      [
        [0, 0],
        [0, Number.NaN],
      ],
      "the gradient of data[1] is NaN at index 1",
    ],
  ])("clients 47: refuses %s", async (_name, gradients, message) => {
    const { training } = await openTraining();
    const pass = training.forwardBackwardCustom([datum(1), datum(2)], () => ({ loss: 0, gradients }));
    await expect(pass).rejects.toThrow(message);
    await expect(pass).rejects.toBeInstanceOf(ValidationError);
  });

  it("clients 49: lets metrics of the caller win, whatever they are called", async () => {
    const { training } = await openTraining();
    const result = await training.forwardBackwardCustom([datum(1)], () => ({
      loss: -4,
      gradients: [[0, 0]],
      metrics: { "loss:sum": 99, plain: 1 },
    }));
    expect(result.metrics).toEqual({ "loss:sum": -4, "surrogate_loss:sum": 1, plain: 1 });
  });
});

describe("surrogate data", () => {
  it("lays weights out like sparse targets", () => {
    const sparse = {
      data: Int32Array.of(5, 6),
      dtype: "int64",
      shape: [2, 4],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [0, 3],
    } as const;
    const [forward] = customForwardData([
      { model_input: { chunks: [] }, loss_fn_inputs: { target_tokens: sparse } },
    ]);
    expect(forward?.loss_fn_inputs.weights).toEqual({
      ...sparse,
      data: Float32Array.of(0, 0),
      dtype: "float32",
    });
    const [backward] = customBackwardData(
      forward === undefined ? [] : [forward],
      [Float32Array.of(-1, -2)],
      [[1, 2]],
    );
    expect(backward?.loss_fn_inputs.weights).toEqual({
      ...sparse,
      data: Float32Array.of(-1, -2),
      dtype: "float32",
    });
  });
});
