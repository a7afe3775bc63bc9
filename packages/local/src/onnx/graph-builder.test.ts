import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { ModelProtoSchema } from "./generated/onnx_pb.js";
import { GraphBuilder } from "./graph-builder.js";
import type { OnnxGraph } from "./onnx-graph.js";
import { add, multiply, negate } from "./operators/elementwise.js";
import { flattenRows } from "./operators/reshape.js";

const decoded = ({ model }: OnnxGraph) => fromBinary(ModelProtoSchema, model);

describe("GraphBuilder", () => {
  it("keeps only what the outputs need", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows"]);
    const unused = graph.input("unused", "float32", ["rows"]);
    const weight = graph.initializer("weight", "float32", [1], Float32Array.of(2));
    const y = add(graph, x, x);
    multiply(graph, negate(graph, unused), weight);
    const built = graph.build({ y });
    expect(built.operators).toEqual(["Add"]);
    expect(built.inputs.map(({ name }) => name)).toEqual(["x"]);
    expect(decoded(built).graph?.initializer).toEqual([]);
  });

  it("builds different graphs from one set of nodes", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows"]);
    const doubled = add(graph, x, x);
    const turned = negate(graph, doubled);
    expect(graph.build({ turned }).operators).toEqual(["Add", "Neg"]);
    expect(graph.build({ doubled }).operators).toEqual(["Add"]);
  });

  it("writes results that need least last, since the runtime begins with those", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows"]);
    const first = negate(graph, x);
    const half = add(graph, x, x);
    const second = negate(graph, half);
    const third = add(graph, half, half);
    expect(decoded(graph.build({ first, second, third })).graph?.node.map(({ output }) => output[0])).toEqual(
      [half.name, "third", "second", "first"],
    );
  });

  it("gives the value that already has a name, unless it is another one", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows", 2]);
    expect(graph.input("x", "float32", ["rows", 2])).toBe(x);
    expect(() => graph.input("x", "float32", ["rows", 3])).toThrow(
      '"x" is already float32 [rows, 2], not float32 [rows, 3]',
    );
    expect(graph.scalar(2)).toBe(graph.scalar(2));
    expect(graph.scalar(2)).not.toBe(graph.scalar(3));
  });

  it("refuses an initializer whose numbers do not fill its shape", () => {
    const graph = new GraphBuilder();
    expect(() => graph.initializer("w", "float32", [2, 2], new Float32Array(3))).toThrow(
      'initializer "w" [2, 2] must have 4 numbers, got 3',
    );
  });

  it("refuses an output with the name of an input", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows"]);
    expect(() => graph.build({ x: negate(graph, x) })).toThrow('output "x" has the name of an input');
  });

  it("names the lengths of all values in between, products as well", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows", "time", 4]);
    const flat = flattenRows(graph, x);
    const { graph: written } = decoded(graph.build({ y: negate(graph, add(graph, flat, flat)) }));
    const shapes = written?.valueInfo.map(({ type }) =>
      type?.tensorType?.shape?.dim.map((dim) => dim.value.value),
    );
    expect(shapes).toEqual([
      ["rows*time", 4n],
      ["rows*time", 4n],
    ]);
  });

  it("gives the name of an output to what a node gives, and a second name by a node of its own", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", ["rows"]);
    const y = negate(graph, x);
    const { graph: written } = decoded(graph.build({ y, twice: add(graph, y, y), again: y, same: x }));
    expect(written?.node.map(({ opType, input, output }) => [opType, ...input, "to", ...output])).toEqual([
      ["Neg", "x", "to", "y"],
      ["Add", "y", "y", "to", "twice"],
      ["Identity", "y", "to", "again"],
      ["Identity", "x", "to", "same"],
    ]);
    expect(written?.valueInfo).toEqual([]);
  });

  it.each(["native", "wasm"] as const)("gives outputs of two names on the %s runtime", async (runtime) => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", [2]);
    const y = negate(graph, x);
    const built = graph.build({ y, twice: add(graph, y, y), again: y, same: x });
    const session = await (await createRuntime({ runtime, threads: 1 })).compile(built);
    const found = await session.run({ x: tensor("float32", [2], Float32Array.of(1, -2)) });
    expect(["y", "twice", "again", "same"].map((name) => [...found.float32(name)])).toEqual([
      [-1, 2],
      [-2, 4],
      [-1, 2],
      [1, -2],
    ]);
    await session.release();
  });

  it.each(["native", "wasm"] as const)(
    "writes files that the %s runtime reads, all element types",
    async (runtime) => {
      const graph = new GraphBuilder();
      const counts = graph.input("counts", "int32", ["rows", 2]);
      const outputs = {
        int32: add(graph, counts, graph.initializer("ones", "int32", [2], Int32Array.of(1, -1))),
        int64: graph.node({ operator: "Shape", inputs: [counts] }, "int64", [2]),
        bool: graph.node(
          { operator: "Less", inputs: [counts, graph.initializer("limit", "int32", [], Int32Array.of(3))] },
          "bool",
          ["rows", 2],
        ),
        float32: graph.node(
          { operator: "Cast", inputs: [counts], attributes: { to: { int: 1 } } },
          "float32",
          ["rows", 2],
        ),
      };
      const session = await (await createRuntime({ runtime, threads: 1 })).compile(graph.build(outputs));
      const found = await session.run({ counts: tensor("int32", [1, 2], Int32Array.of(2, 5)) });
      expect([...found.tensor("int32").data]).toEqual([3, 4]);
      expect([...found.tensor("int64").data]).toEqual([1n, 2n]);
      expect([...found.tensor("bool").data]).toEqual([1, 0]);
      expect([...found.float32("float32")]).toEqual([2, 5]);
      await session.release();
    },
  );
});
