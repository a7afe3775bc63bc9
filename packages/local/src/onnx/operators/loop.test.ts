import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { createRuntime } from "../../runtime/create-runtime.js";
import { tensor } from "../../runtime/tensor.js";
import { ModelProtoSchema } from "../generated/onnx_pb.js";
import { GraphBuilder } from "../graph-builder.js";
import { add, multiply, negate } from "./elementwise.js";
import { loop } from "./loop.js";

/** `x` doubled and kept in each turn, and the sum of all turns; the body reads `scale` from around it. */
function doublings() {
  const graph = new GraphBuilder();
  const x = graph.input("x", "float32", [2]);
  const scale = multiply(graph, graph.input("scale", "float32", []), graph.scalar(2));
  const count = graph.input("count", "int64", [1]);
  const results = loop(graph, {
    count: { value: count, dimension: "turns" },
    carried: [x],
    write(body, _turn, [value = x]) {
      const next = multiply(body, value, scale);
      negate(body, next);
      return { carried: [next], stacked: [add(body, next, body.scalar(1))] };
    },
  });
  return { graph, results };
}

describe("loop", () => {
  it.each(["native", "wasm"] as const)("repeats its body and keeps what each turn gave, %s", async (name) => {
    const { graph, results } = doublings();
    const [last] = results.carried;
    const [all] = results.stacked;
    if (last === undefined || all === undefined) throw new Error("the loop has two results");
    expect(all.shape).toEqual(["turns", 2]);
    const session = await (await createRuntime({ runtime: name, threads: 1 })).compile(
      graph.build({ last, all }),
    );
    const feeds = (turns: bigint) => ({
      x: tensor("float32", [2], Float32Array.of(1, 3)),
      scale: tensor("float32", [], Float32Array.of(1)),
      count: tensor("int64", [1], BigInt64Array.of(turns)),
    });
    const three = await session.run(feeds(3n));
    expect([...three.float32("last")]).toEqual([8, 24]);
    expect([...three.float32("all")]).toEqual([3, 7, 5, 13, 9, 25]);
    const none = await session.run(feeds(0n));
    expect([...none.float32("last")]).toEqual([1, 3]);
    expect(none.tensor("all").dims).toEqual([0, 2]);
    await session.release();
  });

  it("leaves out what nothing in the body needs, and keeps what only the body reads", () => {
    const { graph, results } = doublings();
    const [last] = results.carried;
    if (last === undefined) throw new Error("the loop carries a value");
    const built = graph.build({ last });
    expect(built.operators).not.toContain("Neg");
    expect(built.inputs.map(({ name }) => name)).toEqual(["x", "scale", "count"]);
    const names = fromBinary(ModelProtoSchema, built.model).graph?.initializer.map(({ name }) => name);
    expect(names).toEqual(["scalar.2", "scalar.1"]);
  });

  it("refuses a body that changes the shape of what it carries", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", [1]);
    const count = { value: graph.input("count", "int64", [1]), dimension: "turns" };
    const write = (body: GraphBuilder) => ({
      carried: [add(body, x, graph.input("y", "float32", [2]))],
      stacked: [],
    });
    expect(() => loop(graph, { count, carried: [x], write })).toThrow(
      "Loop: carried value 0 must stay [1], got [2]",
    );
  });

  it("refuses a body that carries on fewer values than it was given, or more", () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", [1]);
    const count = { value: graph.input("count", "int64", [1]), dimension: "turns" };
    const carry = (times: number) => () =>
      loop(graph, {
        count,
        carried: [x],
        write: (body) => ({ carried: Array.from({ length: times }, () => negate(body, x)), stacked: [] }),
      });
    expect(carry(0)).toThrow("Loop: must carry on 1 values, got 0");
    expect(carry(2)).toThrow("Loop: must carry on 1 values, got 2");
  });
});
