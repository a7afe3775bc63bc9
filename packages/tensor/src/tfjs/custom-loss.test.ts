import * as tf from "@tensorflow/tfjs";
import { MathBackendCPU } from "@tensorflow/tfjs-backend-cpu";
import { ValidationError } from "@tinkex/base";
import * as older from "tfjs-core-older";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { customLoss } from "./custom-loss.js";
import type { TfLoss } from "./custom-loss-value.js";
import { describeOnEachBackend } from "./testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "./testing/expect-no-tensor-left.js";
import { lossDatum } from "./testing/loss-data.js";

beforeEach(() => expectNoTensorLeft());

const data = [lossDatum([3]), lossDatum([2])];
const logprobs = [Float32Array.of(-0.5, -1, -2), Float32Array.of(-0.25, -3)];

/** Σ p² over all tokens. */
const squares: TfLoss = (_, tensors) => ({ loss: tf.addN(tensors.map((p) => p.square().sum())) });

describeOnEachBackend("customLoss", () => {
  it("gives value, gradient and metrics", async () => {
    const loss = customLoss((_, tensors, joined) => ({
      ...squares(data, tensors, joined),
      metrics: { "tokens:sum": 5, "mean:mean": tf.concat([...tensors]).mean() },
    }));
    const result = await loss(data, logprobs);
    expect(result.loss).toBeCloseTo(0.25 + 1 + 4 + 0.0625 + 9, 5);
    expect(result.gradients).toEqual([Float32Array.of(-1, -2, -4), Float32Array.of(-0.5, -6)]);
    expect(result.metrics).toEqual({ "tokens:sum": 5, "mean:mean": expect.closeTo(-6.75 / 5, 6) });
  });

  it("refuses a batch without log-probabilities, whose sum a backend need not take for 0", async () => {
    const loss = customLoss((_, __, joined) => ({ loss: tf.sum(joined) }));
    const message = "data has no logprobs to compute a loss of: pass datums with target_tokens";
    await expect(loss([], [])).rejects.toThrow(message);
    await expect(loss([lossDatum([0])], [new Float32Array(0)])).rejects.toThrow(message);
  });

  it("clients 44: gives targets with several candidates their shape", async () => {
    const shapes: number[][] = [];
    // C = Σ(softmax(row 2) − [0, 1])²
    const loss = customLoss((_, [p]) => {
      if (p === undefined) return expect.fail("no logprobs");
      shapes.push(p.shape);
      const row = p.slice([1, 0], [1, 2]);
      return {
        loss: row
          .softmax()
          .sub([[0, 1]])
          .square()
          .sum(),
      };
    });
    const result = await loss([lossDatum([2, 2])], [Float32Array.of(-3, -2, -1, 0)]);
    expect(shapes).toEqual([[2, 2]]);
    expect(result.loss).toBeCloseTo(0.14465898, 6);
    const expected = [0, 0, 0.21150837, -0.21150837];
    for (const [index, value] of expected.entries()) {
      expect(result.gradients[0]?.[index]).toBeCloseTo(value, 6);
    }
  });

  it("gives a flat list where sparse targets list fewer elements than their shape has", async () => {
    const sparse = lossDatum([3]).loss_fn_inputs.target_tokens;
    const datum = {
      ...lossDatum([3]),
      loss_fn_inputs: { target_tokens: { data: [1, 2, 3], dtype: "int64", shape: [3, 9] } },
    } as const;
    expect(sparse?.data).toHaveLength(3);
    const { gradients } = await customLoss(squares)([datum], [Float32Array.of(-1, -2, -3)]);
    expect(gradients).toEqual([Float32Array.of(-2, -4, -6)]);
  });

  it("differentiates operations whose gradient uses their argument", async () => {
    const loss: TfLoss = (_, [p, q]) => ({ loss: tf.logSigmoid(tf.sub(tf.sum(p ?? []), tf.sum(q ?? []))) });
    const { gradients } = await customLoss(loss)(data, logprobs);
    const slope = 1 / (1 + Math.exp(-0.25));
    expect(gradients[0]?.[0]).toBeCloseTo(slope, 6);
    expect(gradients[1]?.[1]).toBeCloseTo(-slope, 6);
  });

  it("adds the gradients of what is computed from the row and from a datum's own tensor", async () => {
    const loss: TfLoss = (_, [, second], joined) => ({
      loss: tf.add(tf.sum(tf.square(joined)), tf.sum(tf.mul(joined.slice(3), second ?? []))),
    });
    const { loss: value, gradients } = await customLoss(loss)(data, logprobs);
    expect(value).toBeCloseTo(14.3125 + 9.0625, 5);
    // 2p of the squares; in the second datum p·p as well, once by each factor.
    expect(gradients).toEqual([Float32Array.of(-1, -2, -4), Float32Array.of(-1, -12)]);
  });

  it("differentiates operations of another copy of tfjs, of another version", async () => {
    expect(older.version_core).not.toBe(tf.version_core);
    const loss: TfLoss = (_, __, joined) => {
      const row = joined as unknown as older.Tensor1D;
      return { loss: older.sum(older.square(row)) as unknown as tf.Tensor };
    };
    const { gradients } = await customLoss(loss)(data, logprobs);
    expect(gradients).toEqual([Float32Array.of(-1, -2, -4), Float32Array.of(-0.5, -6)]);
  });

  it("passes the datums on, and leaves captured tensors alone", async () => {
    const constant = tf.scalar(2);
    const loss = customLoss((given, tensors, joined) => {
      expect(given).toBe(data);
      return { loss: squares(data, tensors, joined).loss.mul(constant), metrics: { "two:mean": constant } };
    });
    expect((await loss(data, logprobs)).metrics).toEqual({ "two:mean": 2 });
    await expect(customLoss(() => ({ loss: constant }))(data, logprobs)).rejects.toThrow("does not depend");
    expect(constant.isDisposed).toBe(false);
    constant.dispose();
  });

  it("BR-094: leaves no tensor behind after 100 steps whose losses wait for something first", async () => {
    const loss = async (...call: Parameters<ReturnType<typeof customLoss>>) => {
      const factor = await Promise.resolve(3);
      return customLoss((_, tensors, joined) => ({ loss: squares(data, tensors, joined).loss.mul(factor) }))(
        ...call,
      );
    };
    const counts: number[] = [];
    for (let step = 0; step < 100; step++) {
      expect((await loss(data, logprobs)).gradients[1]).toEqual(Float32Array.of(-1.5, -18));
      counts.push(tf.memory().numTensors);
    }
    expect(new Set(counts).size).toBe(1);
  });
});

describeOnEachBackend("customLoss refuses, leaving no tensor behind, a function that", () => {
  const sum = (tensors: readonly tf.Tensor[]) => tf.addN(tensors.map((p) => p.exp().sum()));
  const refused = (loss: unknown) => customLoss(loss as TfLoss)(data, logprobs);

  it.each<[name: string, loss: unknown, message: string]>([
    [
      "is async",
      async (_: unknown, p: tf.Tensor[]) => ({ loss: sum(p) }),
      "the custom loss returned a promise: ",
    ],
    [
      "is async and rejects",
      async (_: unknown, p: tf.Tensor[]) => {
        sum(p);
        throw new Error("too late");
      },
      "the custom loss returned a promise: ",
    ],
    ["returns nothing", () => {}, "must return { loss, metrics? } with a tensor as loss, got undefined"],
    ["returns the tensor itself", (_: unknown, p: tf.Tensor[]) => sum(p), "as loss, got the tensor itself"],
    ["returns a number", () => ({ loss: 3 }), "with a tensor as loss, got 3"],
    [
      "returns more than one number",
      (_: unknown, p: tf.Tensor[]) => ({ loss: p[0]?.exp() }),
      "the custom loss has shape [3]: reduce it to one number",
    ],
    [
      "returns an integer",
      (_: unknown, p: tf.Tensor[]) => ({ loss: sum(p).toInt() }),
      "the custom loss has dtype int32, which has no gradient",
    ],
    [
      "returns a metric of several numbers",
      (_: unknown, p: tf.Tensor[]) => ({ loss: sum(p), metrics: { "all:sum": p[0]?.exp() } }),
      'the metric "all:sum" of the custom loss must be a number',
    ],
    [
      "gives NaN",
      (_: unknown, p: tf.Tensor[]) => ({ loss: sum(p).mul(Number.NaN) }),
      "the custom loss is NaN",
    ],
    [
      "has a gradient that is not finite",
      (_: unknown, p: tf.Tensor[]) => ({ loss: tf.addN(p.map((x) => x.sub(x).abs().sqrt().sum())) }),
      "the gradient of the custom loss is NaN for the logprob 0 of data[0]",
    ],
    [
      "does not depend on the logprobs",
      (_: unknown, p: tf.Tensor[]) => ({ loss: tf.tensor1d(p[0]?.dataSync() ?? []).sum() }),
      "the custom loss does not depend on the logprobs: compute it from the tensors it is given",
    ],
    [
      "uses an operation without a gradient",
      (_: unknown, p: tf.Tensor[]) => ({
        loss: tf
          .topk(p[0] ?? [], 1)
          .values.square()
          .exp()
          .sum(),
      }),
      "tfjs has no gradient for the operation TopK; use another operation",
    ],
  ])("%s", async (_name, loss, message) => {
    await expect(refused(loss)).rejects.toThrow(message);
    await expect(refused(loss)).rejects.toBeInstanceOf(ValidationError);
  });

  it("throws, passing its error on", async () => {
    const mine = new Error("my own mistake");
    await expect(
      refused((_: unknown, p: tf.Tensor[]) => {
        sum(p).square();
        throw mine;
      }),
    ).rejects.toBe(mine);
  });

  it("clients 47, BR-059: ignores a datum, unless zeros are asked for", async () => {
    const first: TfLoss = (_, [p]) => ({ loss: sum(p === undefined ? [] : [p]) });
    await expect(customLoss(first)(data, logprobs)).rejects.toThrow(
      "the custom loss does not depend on the logprobs of data[1]",
    );
    const { gradients } = await customLoss(first, { unusedGradients: "zero" })(data, logprobs);
    expect(gradients[1]).toEqual(Float32Array.of(0, 0));
    expect(gradients[0]?.[1]).toBeCloseTo(Math.exp(-1), 6);
  });
});

/** Computes as the cpu backend does, and reads only asynchronously, as webgpu does. */
class AsyncBackend extends MathBackendCPU {
  override readSync(): never {
    throw new Error("this backend reads asynchronously");
  }
  override async read(dataId: object): Promise<tf.backend_util.BackendValues> {
    await new Promise((resolve) => setImmediate(resolve));
    return MathBackendCPU.prototype.readSync.call(this, dataId);
  }
}

it("reads numbers later on a backend that cannot give them at once", async () => {
  const before = tf.getBackend();
  tf.registerBackend("later", () => new AsyncBackend());
  tf.copyRegisteredKernels("cpu", "later");
  await tf.setBackend("later");
  const { gradients } = await customLoss(squares)(data, logprobs);
  await tf.setBackend(before);
  tf.removeBackend("later");
  expect(gradients).toEqual([Float32Array.of(-1, -2, -4), Float32Array.of(-0.5, -6)]);
});

it("names the package with gradients where tfjs has none", async () => {
  const sum = tf.getGradient("Sum");
  const square = tf.getGradient("Square");
  tf.unregisterGradient("Sum");
  tf.unregisterGradient("Square");
  onTestFinished(() => {
    tf.registerGradient(sum);
    tf.registerGradient(square);
  });
  await expect(customLoss(squares)(data, logprobs)).rejects.toThrow(
    "npm install @tensorflow/tfjs, and import that",
  );
});

it("refuses wrong arguments at the call", () => {
  expect(() => customLoss(undefined as unknown as TfLoss)).toThrow(
    "the custom loss must be a function, e.g. ",
  );
  const options = { unusedGradients: "ignore" as "zero" };
  expect(() => customLoss(squares, options)).toThrow('options.unusedGradients must be "error" or "zero"');
});
