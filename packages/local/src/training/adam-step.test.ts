import { describe, expect, it } from "vitest";
import type { AdapterParameters } from "../adapter/adapter-parameters.js";
import { newOptimizerState } from "../adapter/adapter-tensors.js";
import { adamStep } from "./adam-step.js";
import { type GoldenAdam, goldenAdamStep } from "./testing/golden-adam.js";
import { readGolden } from "./testing/golden-files.js";

/** Named vectors, one or two a case. */
type Named = Readonly<Record<string, readonly number[]>>;

interface AdamVector {
  readonly name: string;
  readonly initial: Named;
  readonly steps: readonly {
    readonly gradients: Named;
    readonly adam_params: GoldenAdam;
    readonly grad_norm: number;
    readonly parameters: Named;
    readonly m: Named;
    readonly v: Named;
  }[];
}

const { cases } = readGolden<{ cases: readonly AdamVector[] }>("optimizer/adamw.json");

const plain = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-12,
  weightDecay: 0,
  gradientClipNorm: 0,
};

describe("adamStep", () => {
  it.each(cases)("loss-functions 7: $name", ({ initial, steps }) => {
    const parameters = adapterOf(initial);
    const state = newOptimizerState(parameters);
    for (const [index, expected] of steps.entries()) {
      const gradients = adapterOf(expected.gradients).pairs;
      const { gradientNorm } = adamStep(parameters, gradients, state, goldenAdamStep(expected.adam_params));
      expect(state.step).toBe(index + 1);
      expectClose([gradientNorm], [expected.grad_norm]);
      for (const [got, wanted] of [
        [parameters.pairs, expected.parameters],
        [state.m, expected.m],
        [state.v, expected.v],
      ] as const) {
        const pair = adapterOf(wanted).pairs[0];
        expectClose(got[0]?.a ?? [], pair?.a ?? []);
        expectClose(got[0]?.b ?? [], pair?.b ?? []);
      }
    }
  });

  it("loss-functions 7: adds 1e-6 to the norm that clipping divides by", () => {
    const parameters = adapterOf({ x: [1] });
    const state = newOptimizerState(parameters);
    const clipped = { ...plain, gradientClipNorm: 1e-6 };
    adamStep(parameters, adapterOf({ x: [1e-6] }).pairs, state, clipped);
    expectClose(state.m[0]?.a ?? [], [0.1 * 0.5 * 1e-6]);
  });

  it("loss-functions 7: decays moments and moves on along m without a gradient", () => {
    const parameters = adapterOf({ x: [1] });
    const state = newOptimizerState(parameters);
    adamStep(parameters, adapterOf({ x: [0.5] }).pairs, state, plain);
    const before = parameters.pairs[0]?.a[0] ?? Number.NaN;
    adamStep(parameters, adapterOf({ x: [0] }).pairs, state, plain);
    expect(parameters.pairs[0]?.a[0]).toBeLessThan(before);
    expect(state.m[0]?.a[0]).toBeCloseTo(0.9 * 0.05, 7);
  });
});

/** The vectors as the two factors of one module; a missing second one is empty. */
function adapterOf(named: Named): AdapterParameters {
  const [a = [], b = []] = Object.values(named).map((values) => Float32Array.from(values));
  return {
    shape: { rank: 1, trainAttention: true, trainMlp: false, trainUnembedding: false },
    pairs: [
      { module: "vectors", a: Float32Array.from(a), b: Float32Array.from(b), dIn: a.length, dOut: b.length },
    ],
  };
}

function expectClose(got: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(got.length).toBe(expected.length);
  for (let index = 0; index < expected.length; index++) {
    const wanted = Number(expected[index]);
    expect(Math.abs(Number(got[index]) - wanted), `element ${index}`).toBeLessThanOrEqual(
      1e-5 * Math.abs(wanted) + 1e-37,
    );
  }
}
