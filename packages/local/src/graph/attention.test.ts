import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";
import { randomStream } from "../random/random-stream.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { largestDifference } from "../training/testing/differences.js";
import { type AttentionInputs, attendAtOnce, attention, type HeadLayout } from "./attention.js";
import { attendInBlocks } from "./blocked-attention.js";
import { divideIntoBlocks } from "./blocks.js";
import { causalMask } from "./causal-mask.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

const layouts: Readonly<Record<string, HeadLayout>> = {
  "as many key heads as query heads": { headCount: 2, keyValueHeadCount: 2, headSize: 4 },
  "two query heads a key head": { headCount: 4, keyValueHeadCount: 2, headSize: 2 },
  "one key head for all": { headCount: 3, keyValueHeadCount: 1, headSize: 2 },
};
const BLOCKS = 3;
const tokens = tensor("int32", [2, 3], new Int32Array(6));

it.each(Object.entries(layouts))("has the gradient of its forward half with %s", (_, layout) => {
  const keyValueWidth = layout.keyValueHeadCount * layout.headSize;
  return expectGradientsToMatch({
    inputs: {
      queries: [2, 3, layout.headCount * layout.headSize],
      keys: [2, 3, keyValueWidth],
      values: [2, 3, keyValueWidth],
    },
    feeds: { tokens },
    write(graph, inputs) {
      const mask = causalMask(graph, inputs.tokens, layout.headCount / layout.keyValueHeadCount);
      return attendAtOnce(mask)(graph, inputs, layout);
    },
  });
});

it.each(Object.entries(layouts))("has it by blocks of a row as well, with %s", async (_, layout) => {
  const row = (width: number) => [1, BLOCKS * 2, width] as const;
  const runtime = await createRuntime({ threads: 1 });
  const width = {
    query: layout.headCount * layout.headSize,
    key: layout.keyValueHeadCount * layout.headSize,
  };
  const random = randomStream(3, "attention");
  const numbers = (shape: readonly number[]) =>
    tensor(
      "float32",
      shape,
      Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => 2 * random() - 1),
    );
  const feeds = {
    tokens: tensor("int32", [1, BLOCKS * 2], new Int32Array(BLOCKS * 2)),
    queries: numbers(row(width.query)),
    keys: numbers(row(width.key)),
    values: numbers(row(width.key)),
    gradient: numbers(row(width.query)),
  };
  const outputsOf = async (isInBlocks: boolean) => {
    const graph = new GraphBuilder();
    const time = isInBlocks ? "2*blocks" : "time";
    const tokens = graph.input("tokens", "int32", [1, time]);
    const input = (name: string, size: number) => graph.input(name, "float32", [1, time, size]);
    const attend = isInBlocks
      ? attendInBlocks(divideIntoBlocks(graph, tokens, 2))
      : attendAtOnce(causalMask(graph, tokens, layout.headCount / layout.keyValueHeadCount));
    const inputs = {
      queries: input("queries", width.query),
      keys: input("keys", width.key),
      values: input("values", width.key),
    };
    const { output, backward } = attend(graph, inputs, layout);
    const built = graph.build({ output, ...prefixed(backward(input("gradient", width.query))) });
    const session = await runtime.compile(built);
    const found = await session.run(
      Object.fromEntries(
        Object.entries(feeds).filter(([name]) => built.inputs.some((it) => it.name === name)),
      ),
    );
    const results = built.outputs.map(({ name }) => [name, [...found.float32(name)]] as const);
    await session.release();
    return Object.fromEntries(results);
  };
  const [atOnce, inBlocks] = [await outputsOf(false), await outputsOf(true)];
  expect(Object.keys(inBlocks)).toEqual(["output", "d queries", "d keys", "d values"]);
  for (const [name, expected] of Object.entries(atOnce)) {
    expect(Math.max(...expected.map(Math.abs)), name).toBeGreaterThan(0.01);
    expect(largestDifference(Float32Array.from(inBlocks[name] ?? []), expected), name).toBeLessThan(1e-6);
  }
});

const prefixed = (gradients: AttentionInputs) =>
  Object.fromEntries(Object.entries(gradients).map(([name, value]: [string, Value]) => [`d ${name}`, value]));

it("attends to the past only, query head h through key head floor(h · keyHeads / heads)", async () => {
  const layout: HeadLayout = { headCount: 4, keyValueHeadCount: 2, headSize: 1 };
  const graph = new GraphBuilder();
  const ids = graph.input("tokens", "int32", ["rows", "time"]);
  const inputs = {
    queries: graph.input("queries", "float32", ["rows", "time", 4]),
    keys: graph.input("keys", "float32", ["rows", "time", 2]),
    values: graph.input("values", "float32", ["rows", "time", 2]),
  };
  const { output } = attention(graph, inputs, causalMask(graph, ids, 2), layout);
  const session = await (await createRuntime({ threads: 1 })).compile(graph.build({ output }));
  const outputs = await session.run({
    tokens: tensor("int32", [1, 2], new Int32Array(2)),
    queries: tensor("float32", [1, 2, 4], new Float32Array(8)),
    keys: tensor("float32", [1, 2, 2], new Float32Array(4)),
    values: tensor("float32", [1, 2, 2], Float32Array.of(1, 10, 3, 30)),
  });
  // All scores are equal, so each position averages the values up to itself.
  expect([...outputs.float32("output")]).toEqual([1, 1, 10, 10, 2, 2, 20, 20]);
  await session.release();
});
