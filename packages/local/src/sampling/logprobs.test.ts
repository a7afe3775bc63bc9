import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { maxLastAxis } from "../onnx/operators/reduce.js";
import { logSoftmax } from "../onnx/operators/softmax.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { predictionOf } from "./logprobs.js";

const golden: {
  readonly cases: readonly {
    readonly name: string;
    readonly logits: readonly (number | "-Infinity")[];
    readonly reported_logprobs: readonly (number | "-Infinity")[];
  }[];
} = JSON.parse(
  readFileSync(new URL("../../fixtures/numerics/sampling/filters.json", import.meta.url), "utf8"),
);

/** Normalisers of rows of logits, as a decode graph and what reads it make them. */
async function normalisersOf(name: "native" | "wasm", ...rows: readonly (readonly number[])[]) {
  const graph = new GraphBuilder();
  const x = graph.input("x", "float32", ["rows", "width"]);
  const built = graph.build({ best: maxLastAxis(graph, logSoftmax(graph, x)) });
  const session = await (await createRuntime({ runtime: name, threads: 1 })).compile(built);
  const width = rows[0]?.length ?? 0;
  const outputs = await session.run({
    x: tensor("float32", [rows.length, width], Float32Array.from(rows.flat())),
  });
  const best = outputs.float32("best");
  const found = rows.map(
    (row, index) => predictionOf(Float32Array.from(row), best[index] ?? Number.NaN).normaliser,
  );
  await session.release();
  return found;
}

describe.each(["native", "wasm"] as const)("the normaliser on the %s runtime", (name) => {
  it("neither overflows nor underflows", async () => {
    const [large, small] = await normalisersOf(name, [1000, 1000], [-1000, -Infinity]);
    expect(large).toBeCloseTo(1000 + Math.log(2), 6);
    expect(small).toBe(-1000);
  });

  it("loss-functions 13: makes the log-probability of the best of 2, 1, 0, -1 -0.440189699", async () => {
    expect(2 - ((await normalisersOf(name, [2, 1, 0, -1]))[0] ?? Number.NaN)).toBeCloseTo(-0.440189699, 6);
  });

  it.each([4, 33, 49_152])("is no finite number where one of %i logits is none", async (width) => {
    const places = [0, 1, width >> 1, width - 1];
    const rows = [Number.NaN, Number.POSITIVE_INFINITY].flatMap((odd) =>
      places.map((place) => Array.from({ length: width }, (_, id) => (id === place ? odd : id % 7))),
    );
    for (const found of await normalisersOf(name, ...rows)) expect(Number.isFinite(found)).toBe(false);
  });

  it.each(golden.cases)("reports log-probabilities at temperature 1: $name", async (recorded) => {
    const logits = recorded.logits.map((logit) => Math.fround(Number(logit)));
    const [found = Number.NaN] = await normalisersOf(name, logits);
    recorded.reported_logprobs.forEach((want, id) => {
      const got = (logits[id] ?? Number.NaN) - found;
      if (typeof want === "number")
        expect(Math.abs(got - want)).toBeLessThan(1e-6 * Math.max(1, Math.abs(want)));
      else expect(got).toBe(Number(want));
    });
  });
});
