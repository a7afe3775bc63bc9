import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { ropeValues, rotate, rotateBackward } from "./rope.js";
import { ropeTables } from "./rope-tables.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

const tables = ropeTables({ headSize: 4, ropeTheta: 100, contextLength: 8 });
const positions = tensor("int64", [1], BigInt64Array.of(0n));

it("turns element i with element i + headSize / 2, head by head, by the position's angle", async () => {
  const graph = new GraphBuilder();
  const input = graph.input("x", "float32", ["rows", "time", 8]);
  const rope = ropeValues(graph, tables, 4, graph.input("positions", "int64", ["rows", "time"]));
  const session = await (await createRuntime({ threads: 1 })).compile(
    graph.build({ y: rotate(graph, rope, input, 2) }),
  );
  const x = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const outputs = await session.run({
    x: tensor("float32", [1, 1, 8], x),
    positions: tensor("int64", [1, 1], BigInt64Array.of(3n)),
  });
  const turn = (left: number, right: number, angle: number) => [
    left * Math.cos(angle) - right * Math.sin(angle),
    right * Math.cos(angle) + left * Math.sin(angle),
  ];
  const angles = [3, 3 * 100 ** -0.5];
  const expected = [0, 4].flatMap((head) => {
    const pairs = angles.map((angle, index) => turn(x[head + index] ?? 0, x[head + index + 2] ?? 0, angle));
    return [0, 1].flatMap((half) => pairs.map((pair) => pair[half] ?? 0));
  });
  expected.forEach((value, index) => {
    expect(outputs.float32("y")[index]).toBeCloseTo(value, 5);
  });
  await session.release();
});

it("has the gradient of its forward half", () =>
  expectGradientsToMatch({
    inputs: { x: [2, 3, 8] },
    feeds: { positions },
    write(graph, { x, positions: start }) {
      const rope = ropeValues(graph, tables, 4, start);
      return {
        output: rotate(graph, rope, x, 2),
        backward: (gradient) => ({ x: rotateBackward(graph, rope, gradient, 2) }),
      };
    },
  }));

it("refuses heads that do not fill the input", () => {
  const graph = new GraphBuilder();
  const rope = ropeValues(graph, tables, 4, graph.input("positions", "int64", [1]));
  const input = graph.input("x", "float32", ["rows", "time", 8]);
  expect(() => rotate(graph, rope, input, 3)).toThrow("3 heads of twice 2 do not fill [rows, time, 8]");
});
