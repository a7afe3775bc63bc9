import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { attention, attentionBackward, type HeadLayout } from "./attention.js";
import { causalMask } from "./causal-mask.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

const layouts: Readonly<Record<string, HeadLayout>> = {
  "as many key heads as query heads": { headCount: 2, keyValueHeadCount: 2, headSize: 4 },
  "two query heads a key head": { headCount: 4, keyValueHeadCount: 2, headSize: 2 },
  "one key head for all": { headCount: 3, keyValueHeadCount: 1, headSize: 2 },
};
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
      const saved = attention(graph, inputs, mask, layout);
      return { output: saved.output, backward: (gradient) => attentionBackward(graph, saved, gradient) };
    },
  });
});

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
