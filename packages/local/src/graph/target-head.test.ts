import { describe, expect, it } from "vitest";
import type { Shape } from "../onnx/dimension.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";
import { randomStream } from "../random/random-stream.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { largestDifference } from "../training/testing/differences.js";
import type { FrozenMatrix } from "./frozen-matrix.js";
import { headAtOnce } from "./target-head.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

const VOCABULARY = 10;
const HIDDEN = 4;
/** Every part, the ends of parts, and one target twice. */
const targets = tensor("int32", [2, 3, 2], Int32Array.of(0, 3, 4, 4, 7, 8, 9, 0, 3, 9, 5, 2));

const random = randomStream(11, "head");
const numbers = (...shape: number[]) =>
  Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => 4 * random() - 2);
const matrix = numbers(VOCABULARY, HIDDEN);

const feedsWith = (gradient: Float32Array) => ({
  hidden: tensor("float32", [2, 3, HIDDEN], numbers(2, 3, HIDDEN)),
  targets,
  a: tensor("float32", [2, HIDDEN], numbers(2, HIDDEN)),
  b: tensor("float32", [VOCABULARY, 2], numbers(VOCABULARY, 2)),
  scale: tensor("float32", [], Float32Array.of(0.5)),
  gradient: tensor("float32", [2, 3, 2], gradient),
});

type Way = "whole" | "parts";

function weightOf(graph: GraphBuilder, way: Way): FrozenMatrix {
  if (way === "whole") return graph.initializer("w", "float32", [VOCABULARY, HIDDEN], matrix);
  const parts = [0, 4, 8].map((start) => {
    const rows = Math.min(4, VOCABULARY - start);
    const data = matrix.subarray(start * HIDDEN, (start + rows) * HIDDEN);
    return graph.initializer(`w.${start}`, "float32", [rows, HIDDEN], data);
  });
  return { parts };
}

describe("a head in parts", () => {
  it.each(["native", "wasm"] as const)("gives what it gives in one piece, %s", async (runtimeName) => {
    const runtime = await createRuntime({ runtime: runtimeName, threads: 1 });
    // The second token and the fifth are not in use.
    const feeds = feedsWith(Float32Array.of(1, -2, 0, 0, 0.5, 3, 1, 0, 0, 0, 0, 2));
    const outputsOf = async (way: Way) => {
      const graph = new GraphBuilder();
      const input = (name: keyof typeof feeds) => graph.input(name, feeds[name].type, feeds[name].dims);
      const adapter = { a: input("a"), b: input("b"), scale: input("scale") };
      const weights = { weight: weightOf(graph, way), adapter };
      const head = headAtOnce(graph, input("hidden"), input("targets"), weights);
      const gradients = head.backward(input("gradient"));
      if (gradients.adapter === undefined) throw new Error("the head has an adapter");
      const outputs: Record<string, Value> = {
        logprobs: head.logprobs,
        dHidden: gradients.input,
        dA: gradients.adapter.a,
        dB: gradients.adapter.b,
      };
      const session = await runtime.compile(graph.build(outputs));
      const found = await session.run(feeds);
      const results = new Map(Object.keys(outputs).map((name) => [name, found.float32(name)]));
      await session.release();
      return results;
    };
    const [whole, parts] = [await outputsOf("whole"), await outputsOf("parts")];
    for (const [name, expected] of whole) {
      expect(Math.max(...expected.map(Math.abs)), name).toBeGreaterThan(0.1);
      expect(largestDifference(parts.get(name) ?? new Float32Array(0), [...expected]), name).toBeLessThan(
        1e-5,
      );
    }
    // Of tokens that are not in use, nothing; of the others, something.
    const isZero = (token: number) =>
      (parts.get("dHidden") ?? []).slice(token * HIDDEN, (token + 1) * HIDDEN).every((value) => value === 0);
    expect([0, 1, 2, 3, 4, 5].map(isZero)).toEqual([false, true, false, false, true, false]);
  });
});

it.each([
  ["native", "whole"],
  ["native", "parts"],
  ["wasm", "whole"],
  ["wasm", "parts"],
] as const)("gives zeros where no token of a run is in use, %s, matrix %s", async (runtimeName, way) => {
  const runtime = await createRuntime({ runtime: runtimeName, threads: 1 });
  const feeds = feedsWith(new Float32Array(12));
  const graph = new GraphBuilder();
  const input = (name: keyof typeof feeds, type: "float32" | "int32", ...shape: Shape) =>
    graph.input(name, type, shape);
  const weights = {
    weight: weightOf(graph, way),
    adapter: {
      a: input("a", "float32", "rank", HIDDEN),
      b: input("b", "float32", VOCABULARY, "rank"),
      scale: input("scale", "float32"),
    },
  };
  const hidden = input("hidden", "float32", "rows", "time", HIDDEN);
  const head = headAtOnce(graph, hidden, input("targets", "int32", "rows", "time", "K"), weights);
  const gradients = head.backward(input("gradient", "float32", "rows", "time", "K"));
  if (gradients.adapter === undefined) throw new Error("the head has an adapter");
  const outputs = { dHidden: gradients.input, dA: gradients.adapter.a, dB: gradients.adapter.b };
  const session = await runtime.compile(graph.build(outputs));
  const found = await session.run(feeds);
  const sizes = { dHidden: 6 * HIDDEN, dA: 2 * HIDDEN, dB: 2 * VOCABULARY };
  for (const [name, size] of Object.entries(sizes)) {
    expect([...found.float32(name)], name).toEqual(new Array(size).fill(0));
  }
  await session.release();
});

it.each(["whole", "parts"] as const)("has the gradient of its forward half, matrix %s", (way) =>
  expectGradientsToMatch({
    inputs: { hidden: [2, 3, HIDDEN], a: [2, HIDDEN], b: [VOCABULARY, 2], scale: [] },
    fixed: ["scale"],
    feeds: { targets },
    write(graph, { hidden, a, b, scale, targets: ids }) {
      const weights = { weight: weightOf(graph, way), adapter: { a, b, scale } };
      const head = headAtOnce(graph, hidden, ids, weights);
      return {
        output: head.logprobs,
        backward(gradient) {
          const { input, adapter } = head.backward(gradient);
          return { hidden: input, ...adapter };
        },
      };
    },
  }),
);
