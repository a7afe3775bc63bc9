import { ValidationError } from "@tinkex/base";
import { beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { expectTerm } from "../testing/expect-term.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { composeLoss } from "./compose-loss.js";
import { klToReference } from "./kl-to-reference.js";
import type { Reference } from "./reference-row.js";

beforeEach(() => expectNoTensorLeft());

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const reference = Float32Array.of(-1, -1.5, -0.25);
const data = [lossDatum([3], { reference_logprobs: reference })];
const logprobs = [Float32Array.of(-0.5, -1.5, -2)];
const k3 = (p: number, r: number) => Math.exp(r - p) - 1 - (r - p);

describeOnEachBackend("klToReference", () => {
  it("minimises k2 of samples and reports k3", async () => {
    const metrics = await expectTerm(klToReference({ weight: 0.2 }), { data, logprobs }, ([p]) =>
      sum((p ?? []).map((value, index) => (value - (reference[index] ?? 0)) ** 2 / 2)),
    );
    expect(metrics["kl:sum"]).toBeCloseTo(k3(-0.5, -1) + k3(-2, -0.25), 4);
  });

  it("minimises k3 where that is asked for", async () => {
    await expectTerm(klToReference({ weight: 1, estimator: "k3" }), { data, logprobs }, ([p]) =>
      sum((p ?? []).map((value, index) => k3(value, reference[index] ?? 0))),
    );
  });

  it("is the divergence of candidates, with a reference that is a tensor", async () => {
    const model = [0.5, 0.25, 0.25, 0.1, 0.6, 0.3];
    const other = [0.25, 0.25, 0.5, 0.3, 0.3, 0.4];
    const tensor = tf.tensor2d(other.map(Math.log), [2, 3]);
    const metrics = await expectTerm(
      klToReference({ weight: 1, reference: () => tensor }),
      { data: [lossDatum([2, 3])], logprobs: [Float32Array.from(model, Math.log)] },
      ([p]) =>
        sum(
          (p ?? []).map((value, index) => {
            const r = Math.log(other[index] ?? 1);
            return Math.exp(value) * (value - r) - Math.exp(value) + Math.exp(r);
          }),
        ),
    );
    tensor.dispose();
    expect(metrics["kl:sum"]).toBeCloseTo(
      sum(model.map((p, index) => p * Math.log(p / (other[index] ?? 1)))),
      5,
    );
  });

  it("counts samples and candidates of one batch, each in its way", async () => {
    const mixed = [...data, lossDatum([1, 2], { reference_logprobs: Float32Array.of(-1, -1) })];
    await expectTerm(
      klToReference({ weight: 1 }),
      { data: mixed, logprobs: [...logprobs, Float32Array.of(-0.5, -2)] },
      ([p, q]) =>
        sum((p ?? []).map((value, index) => (value - (reference[index] ?? 0)) ** 2 / 2)) +
        sum((q ?? []).map((value) => Math.exp(value) * (value + 1) - Math.exp(value) + Math.exp(-1))),
    );
  });
});

function withShortReference() {
  const { model_input, loss_fn_inputs } = lossDatum([3]);
  const { loss_fn_inputs: other } = lossDatum([1], { reference_logprobs: Float32Array.of(-1) });
  return { model_input, loss_fn_inputs: { ...other, ...loss_fn_inputs } };
}

it.each([
  ["no reference", lossDatum([3]), "data[0].loss_fn_inputs.reference_logprobs is missing"],
  [
    "a reference of another length",
    withShortReference(),
    "data[0].loss_fn_inputs.reference_logprobs has 1 elements, the datum 3 logprobs",
  ],
])("klToReference refuses %s", async (_name, datum, message) => {
  const loss = composeLoss((_, [p]) => ({ loss: tf.sum(p ?? []) }), [klToReference({ weight: 1 })]);
  await expect(loss([datum], logprobs)).rejects.toThrow(message);
  await expect(loss([datum], logprobs)).rejects.toBeInstanceOf(ValidationError);
});

it("klToReference refuses an estimator there is not", () => {
  expect(() => klToReference({ weight: 1, estimator: "k1" as "k2" })).toThrow('"k1" is none of k2, k3');
});

it("klToReference unfolds a sparse reference", async () => {
  const sparse = {
    data: Float32Array.of(-1, -2),
    dtype: "float32",
    shape: [2, 2],
    sparse_crow_indices: [0, 1, 2],
    sparse_col_indices: [1, 0],
  } as const;
  const [p, r] = [
    [-1, -2, -0.5, -3],
    [0, -1, -2, 0],
  ];
  await expectTerm(
    klToReference({ weight: 1, reference: () => sparse }),
    { data: [lossDatum([2, 2])], logprobs: [Float32Array.from(p)] },
    ([row = []]) =>
      sum(
        row.map((value, index) => {
          const other = r[index] ?? 0;
          return Math.exp(value) * (value - other) - Math.exp(value) + Math.exp(other);
        }),
      ),
  );
});

it("klToReference takes tensors of integers and of floats for references of one batch", async () => {
  const tensors = [tf.tensor1d([-1], "int32"), tf.tensor1d([-1.5])];
  await expectTerm(
    klToReference({ weight: 1, reference: (_, index) => tensors[index] ?? expect.fail() }),
    { data: [lossDatum([1]), lossDatum([1])], logprobs: [Float32Array.of(-2), Float32Array.of(-2)] },
    ([[p = 0] = [], [q = 0] = []]) => ((p + 1) ** 2 + (q + 1.5) ** 2) / 2,
  );
  tf.dispose(tensors);
});

it.each<[reference: Reference, message: string]>([
  ["reference_logprobs", "data[0].loss_fn_inputs.reference_logprobs[1]: "],
  [() => [-1, "x"] as never, "the reference of data[0][1]: "],
])("klToReference names the element of a reference that is none", async (reference, message) => {
  const datum = lossDatum([2]);
  const bad = { data: [-1, "x"] as never, dtype: "float32", shape: [2] } as const;
  const given = { ...datum, loss_fn_inputs: { ...datum.loss_fn_inputs, reference_logprobs: bad } };
  const loss = composeLoss(
    (_, __, joined) => ({ loss: tf.sum(joined) }),
    [klToReference({ weight: 1, reference })],
  );
  await expect(loss([given], [Float32Array.of(-1, -2)])).rejects.toThrow(message);
});

it.each<[way: string, reference: Reference]>([
  ["a record", () => ({ data: new Float32Array(6), dtype: "float32", shape: [3, 2] })],
  [
    "lists",
    () => [
      [-1, -1],
      [-1, -1],
      [-1, -1],
    ],
  ],
  ["a tensor", () => tf.zeros([3, 2])],
])("klToReference refuses a reference that is laid out otherwise: %s", async (_way, reference) => {
  const loss = composeLoss(
    (_, __, joined) => ({ loss: tf.sum(joined) }),
    [klToReference({ weight: 1, reference })],
  );
  await expect(loss([lossDatum([2, 3])], [new Float32Array(6).fill(-1)])).rejects.toThrow(
    "the reference of data[0] has the shape [3, 2], the datum's logprobs [2, 3]",
  );
});
