import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { quantizeRows } from "../quantization/quantize-rows.js";
import { loraLinear, loraLinearBackward } from "./lora-linear.js";
import { quantizedMatrix } from "./quantized-matrix.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

it.each([false, true])(
  "has the gradient of its forward half with an adapter and a bias, merged: %s",
  (isMerged) =>
    expectGradientsToMatch({
      inputs: { x: [2, 3, 5], weight: [4, 5], bias: [4], a: [2, 5], b: [4, 2], scale: [] },
      fixed: ["weight", "bias", "scale"],
      write(graph, { x, weight, bias, a, b, scale }) {
        const saved = loraLinear(graph, x, { weight, bias, adapter: { a, b, scale, isMerged } });
        return {
          output: saved.output,
          backward(gradient) {
            const { input, adapter } = loraLinearBackward(graph, saved, gradient);
            return { x: input, ...adapter };
          },
        };
      },
    }),
);

it("has the gradient of its forward half without an adapter", () =>
  expectGradientsToMatch({
    inputs: { x: [2, 3, 5], weight: [4, 5] },
    fixed: ["weight"],
    write(graph, { x, weight }) {
      const saved = loraLinear(graph, x, { weight });
      return {
        output: saved.output,
        backward: (gradient) => ({ x: loraLinearBackward(graph, saved, gradient).input }),
      };
    },
  }));

it.each([8, 4] as const)("has the gradient of its forward half with a frozen matrix of %s bits", (bits) => {
  const [rows, columns] = [4, 40];
  const weights = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(i * i));
  return expectGradientsToMatch({
    inputs: { x: [2, 3, columns], a: [2, columns], b: [rows, 2], scale: [] },
    fixed: ["scale"],
    // As the training graph is: with 8 bits others round their input, and have steps for slopes.
    isPacked: false,
    write(graph, { x, a, b, scale }) {
      const tensor = { bits, shape: [rows, columns], ...quantizeRows(weights, columns, bits, "w") } as const;
      const weight = quantizedMatrix(graph, "w", tensor);
      const saved = loraLinear(graph, x, { weight, adapter: { a, b, scale } });
      return {
        output: saved.output,
        backward(gradient) {
          const { input, adapter } = loraLinearBackward(graph, saved, gradient);
          return { x: input, ...adapter };
        },
      };
    },
  });
});

it("gives no gradient of a frozen matrix a node", () => {
  const graph = new GraphBuilder();
  const x = graph.input("x", "float32", ["rows", 5]);
  const weight = graph.initializer("weight", "float32", [4, 5], new Float32Array(20));
  const saved = loraLinear(graph, x, { weight });
  const gradient = graph.input("gradient", "float32", ["rows", 4]);
  const { operators } = graph.build({ dInput: loraLinearBackward(graph, saved, gradient).input });
  expect(operators).toEqual(["MatMul"]);
});

it("leaves a quantized matrix as it is, also where adapters are merged", () => {
  const operatorsOf = (isMerged: boolean) => {
    const graph = new GraphBuilder({ isPacked: false });
    const tensor = {
      bits: 8,
      shape: [4, 32],
      ...quantizeRows(new Float32Array(128).fill(1), 32, 8, "w"),
    } as const;
    const adapter = {
      a: graph.input("a", "float32", ["rank", 32]),
      b: graph.input("b", "float32", [4, "rank"]),
      scale: graph.scalar(2),
      isMerged,
    };
    const x = graph.input("x", "float32", ["rows", 32]);
    const { output } = loraLinear(graph, x, { weight: quantizedMatrix(graph, "w", tensor), adapter });
    return graph.build({ output }).operators;
  };
  expect(operatorsOf(true)).toEqual(operatorsOf(false));
  expect(operatorsOf(true)).toContain("MatMulNBits");
});
