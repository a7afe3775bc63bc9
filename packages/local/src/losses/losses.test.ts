import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { readGolden } from "../training/testing/golden-files.js";
import { type Loss, perTokenInputs, scalarInputs } from "./loss-definition.js";
import { LOSSES, type LossName } from "./loss-table.js";

interface LossVector {
  readonly name: string;
  readonly loss_fn: LossName;
  readonly loss_fn_config: Readonly<Record<string, number>> | null;
  readonly inputs: Readonly<Record<string, readonly number[]>> | null;
  readonly p: readonly (number | string)[];
  readonly elementwise_loss: readonly (number | string)[];
  readonly dloss_dp: readonly (number | string)[];
}

const { cases } = readGolden<{ cases: readonly LossVector[] }>("losses/vectors.json");
/** Losses whose formula the service has not published, as this server reads what is known of them. */
const assumed = readGolden<{ cases: readonly LossVector[] }>("losses/assumed.json");
/** A prompt position costs dro nothing; the recording has the other reading of the formula and says so. */
const ruled: Readonly<Record<string, Pick<LossVector, "elementwise_loss" | "dloss_dp">>> = {
  "dro prompt positions": { elementwise_loss: [0, 0, 0.40025], dloss_dp: [0, 0, -0.995] },
};

describe.each(["native", "wasm"] as const)("losses on the %s runtime", (runtimeName) => {
  it.each(cases.filter(({ p }) => p.length > 0))("loss-functions 3 and 13: $name", async (vector) => {
    const { loss, gradient } = await evaluate(runtimeName, vector);
    const expected = ruled[vector.name] ?? vector;
    expectClose(loss, expected.elementwise_loss);
    expectClose(gradient, expected.dloss_dp);
  });

  it.each(assumed.cases)("computes $name as autograd does", async (vector) => {
    const { loss, gradient } = await evaluate(runtimeName, vector);
    expectClose(loss, vector.elementwise_loss);
    expectClose(gradient, vector.dloss_dp);
  });

  it.each(Object.keys(LOSSES) as LossName[])(
    "loss-functions 3.7: %s masks weight 0 exactly",
    async (name) => {
      const { loss, gradient } = await evaluate(runtimeName, {
        loss_fn: name,
        loss_fn_config: null,
        p: ["-Infinity", -0.1, -1],
        inputs: { weights: [0, 0, 1], logprobs: [-1, -800, -1], advantages: [2, 2, 2] },
      });
      for (const values of [loss, gradient]) {
        // Adding 0 turns -0 into 0.
        expect([...values.slice(0, 2)].map((value) => value + 0)).toEqual([0, 0]);
        expect(values[2]).not.toBe(0);
      }
    },
  );

  it.each(Object.keys(LOSSES) as LossName[])(
    "loss-functions 12.2: %s multiplies by weights",
    async (name) => {
      const vector = {
        loss_fn: name,
        loss_fn_config: null,
        p: [-0.5, -1, -2, -0.2],
        inputs: { logprobs: [-0.7, -1, -1.2, -2], advantages: [1, -0.5, 2, -1.5] },
      };
      const plain = await evaluate(runtimeName, vector);
      const weights = [2, -1, 0.5, 3];
      const weighted = await evaluate(runtimeName, { ...vector, inputs: { ...vector.inputs, weights } });
      expectClose(
        weighted.loss,
        weights.map((weight, index) => weight * (plain.loss[index] ?? 0)),
      );
      expectClose(
        weighted.gradient,
        weights.map((weight, index) => weight * (plain.gradient[index] ?? 0)),
      );
    },
  );
});

async function evaluate(
  runtimeName: "native" | "wasm",
  { loss_fn, loss_fn_config, inputs, p }: Pick<LossVector, "loss_fn" | "loss_fn_config" | "inputs" | "p">,
) {
  const graph = new GraphBuilder();
  const chosen: Loss = LOSSES[loss_fn];
  const config = { ...chosen.config, ...loss_fn_config };
  const given = (numbers: readonly (number | string)[] | undefined, otherwise = 0) =>
    graph.initializer(
      `input ${names++}`,
      "float32",
      [1, p.length, 1],
      Float32Array.from(p, (_, index) => Number(numbers?.[index] ?? otherwise)),
    );
  let names = 0;
  const perToken = (key: string) => given(inputs?.[key], chosen.optional[key] ?? config[key]);
  const scalar = (key: string) => graph.initializer(key, "float32", [], Float32Array.of(config[key] ?? 0));
  const { loss, gradient } = chosen.forward(
    graph,
    given(p),
    Object.fromEntries([
      ...perTokenInputs(chosen).map((key) => [key, perToken(key)] as const),
      ...scalarInputs(chosen).map((key) => [key, scalar(key)] as const),
    ]),
  );
  const session = await (await createRuntime({ runtime: runtimeName, threads: 1 })).compile(
    graph.build({ loss, gradient }),
  );
  const outputs = await session.run({});
  await session.release();
  return { loss: outputs.float32("loss"), gradient: outputs.float32("gradient") };
}

function expectClose(got: Float32Array, expected: readonly (number | string)[]): void {
  expect(got.length).toBe(expected.length);
  expected.forEach((value, index) => {
    const difference = Math.abs((got[index] ?? Number.NaN) - Number(value));
    expect(difference, `element ${index}`).toBeLessThanOrEqual(1e-5 * Math.abs(Number(value)) + 1e-7);
  });
}
