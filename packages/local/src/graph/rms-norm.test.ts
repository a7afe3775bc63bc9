import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { rmsNorm, rmsNormBackward } from "./rms-norm.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

it("divides by the root mean square and multiplies by the weight", async () => {
  const graph = new GraphBuilder();
  const weight = graph.initializer("weight", "float32", [2], Float32Array.of(1, 10));
  const norm = rmsNorm(graph, graph.input("x", "float32", ["rows", 2]), weight, 0);
  const session = await (await createRuntime({ threads: 1 })).compile(graph.build({ y: norm.output }));
  const outputs = await session.run({ x: tensor("float32", [1, 2], Float32Array.of(3, 4)) });
  const rms = Math.sqrt((9 + 16) / 2);
  expect(outputs.float32("y")[0]).toBeCloseTo(3 / rms, 6);
  expect(outputs.float32("y")[1]).toBeCloseTo(40 / rms, 5);
  await session.release();
});

it("has the gradient of its forward half", () =>
  expectGradientsToMatch({
    inputs: { x: [2, 3, 4], weight: [4] },
    fixed: ["weight"],
    write(graph, { x, weight }) {
      const norm = rmsNorm(graph, x, weight, 0.1);
      return { output: norm.output, backward: (gradient) => ({ x: rmsNormBackward(graph, norm, gradient) }) };
    },
  }));
