import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { loadNativeRuntime } from "./native-runtime.js";
import type { Session } from "./runtime.js";
import { tensor } from "./tensor.js";
import { loadWasmRuntime } from "./wasm-runtime.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it.each([
  ["native", loadNativeRuntime],
  ["wasm", loadWasmRuntime],
] as const)("a session of the %s runtime lets go of the model's bytes", async (_, load) => {
  const runtime = await load(1, "test");
  const compile = async (): Promise<{ session: Session; bytes: WeakRef<Uint8Array> }> => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", [1, 1]);
    const built = graph.build({ y: matMul(graph, x, x) });
    return { session: await runtime.compile(built), bytes: new WeakRef(built.model) };
  };
  const { session, bytes } = await compile();
  await turn();
  collectGarbage();
  expect(bytes.deref()).toBeUndefined();
  const outputs = await session.run({ x: tensor("float32", [1, 1], Float32Array.of(3)) });
  expect([...outputs.float32("y")]).toEqual([9]);
  await session.release();
});
