import { availableParallelism } from "node:os";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { createRuntime } from "./create-runtime.js";
import { loadNativeRuntime } from "./native-runtime.js";
import { tensor } from "./tensor.js";
import { loadWasmRuntime } from "./wasm-runtime.js";

const withoutNative = {
  native: () => Promise.reject(new Error("Cannot find package 'onnxruntime-node'.\nRequire stack: ...")),
  wasm: loadWasmRuntime,
};

describe("createRuntime", () => {
  it("takes the native runtime where it loads, with a thread for each core", async () => {
    const runtime = await createRuntime();
    expect(runtime).toMatchObject({
      name: "native",
      threads: availableParallelism(),
      reason: "it loads here",
    });
  });

  it("falls back to wasm and says why", async () => {
    const runtime = await createRuntime({ threads: 2 }, withoutNative);
    expect(runtime).toMatchObject({
      name: "wasm",
      threads: 2,
      reason: "onnxruntime-node does not load here (Cannot find package 'onnxruntime-node')",
    });
    expect(await product(runtime)).toEqual([17, 39]);
  });

  it("fails with the remedy when native is asked for and does not load", async () => {
    const failure = createRuntime({ runtime: "native" }, withoutNative);
    await expect(failure).rejects.toMatchObject({
      code: "missing_dependency",
      message:
        "the native runtime does not load: Cannot find package 'onnxruntime-node'; " +
        'install onnxruntime-node, or choose the runtime "wasm"',
    });
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses %s threads", async (threads) => {
    await expect(createRuntime({ threads })).rejects.toThrow(ValidationError);
  });

  it("names the choices when there is no such runtime", async () => {
    // What a program without types may pass.
    const creating = createRuntime({ runtime: "cuda" as "native" });
    await expect(creating).rejects.toThrow(ValidationError);
    await expect(creating).rejects.toThrow('runtime must be one of auto, native, wasm, got "cuda"');
  });

  it.each(["native", "wasm"] as const)("computes on the %s runtime when it is asked for", async (name) => {
    const runtime = await createRuntime({ runtime: name, threads: 1 });
    expect(runtime).toMatchObject({ name, threads: 1, reason: "asked for" });
    expect(await product(runtime)).toEqual([17, 39]);
  });
});

describe.each([
  ["native", loadNativeRuntime],
  ["wasm", loadWasmRuntime],
] as const)("a session of the %s runtime", (_, load) => {
  it("names the input that is missing, of the wrong type or unknown", async () => {
    const graph = new GraphBuilder();
    const x = graph.input("x", "float32", [1, 1]);
    const session = await (await load(1, "test")).compile(graph.build({ y: matMul(graph, x, x) }));
    await expect(session.run({})).rejects.toThrow('the graph\'s input "x" must be float32, got nothing');
    const number = tensor("float32", [1, 1], Float32Array.of(3));
    await expect(session.run({ x: tensor("int32", [1, 1], Int32Array.of(3)) })).rejects.toThrow("got int32");
    await expect(session.run({ x: number, z: number })).rejects.toThrow('the graph has no input "z"');
    const outputs = await session.run({ x: number });
    expect([...outputs.float32("y")]).toEqual([9]);
    expect(() => outputs.float32("z")).toThrow('the graph has no output "z"');
    await session.release();
  });
});

/** [[1, 2], [3, 4]] times (5, 6). */
async function product(runtime: Awaited<ReturnType<typeof createRuntime>>): Promise<number[]> {
  const graph = new GraphBuilder();
  const matrix = graph.initializer("matrix", "float32", [2, 2], Float32Array.of(1, 2, 3, 4));
  const y = matMul(graph, matrix, graph.input("x", "float32", [2, 1]));
  const session = await runtime.compile(graph.build({ y }));
  const outputs = await session.run({ x: tensor("float32", [2, 1], Float32Array.of(5, 6)) });
  await session.release();
  return [...outputs.float32("y")];
}
