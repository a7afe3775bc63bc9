import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { loadNativeRuntime } from "./native-runtime.js";
import { tensor } from "./tensor.js";

// A name with a space and a letter beyond ASCII, as users' folders have.
const folder = temporaryDirectory({ prefix: "tinkex external é " });

/** Puts [[1, 2], [3, 4]] into a file, with nothing stored before it. */
function place(file: string, offset: number): TensorPlace {
  const descriptor = openSync(join(folder, file), "w");
  writeSync(descriptor, Float32Array.of(1, 2, 3, 4), 0, 16, offset);
  closeSync(descriptor);
  return { folder, file, offset, byteLength: 16 };
}

/** The matrix at `at` times (5, 6). */
async function product(at: TensorPlace, isPacked: boolean): Promise<number[]> {
  const runtime = await loadNativeRuntime(1, "test");
  const graph = new GraphBuilder({ isPacked });
  const y = matMul(
    graph,
    graph.input("x", "float32", [1, 2]),
    graph.externalInitializer("m", "float32", [2, 2], at),
  );
  const session = await runtime.compile(graph.build({ y }));
  const outputs = await session.run({ x: tensor("float32", [1, 2], Float32Array.of(5, 6)) });
  await session.release();
  return [...outputs.float32("y")];
}

describe.each([true, false])("a tensor outside the model file, packed: %s", (isPacked) => {
  it.each([0, 65_536, 3 * 2 ** 30, 5 * 2 ** 30])("is read at byte %s of its file", async (offset) => {
    expect(await product(place(`at-${offset}`, offset), isPacked)).toEqual([23, 34]);
  });

  it("fails to compile where its file is not there, or ends before it does", async () => {
    const whole = place("short", 0);
    await expect(product({ ...whole, file: "missing" }, isPacked)).rejects.toThrow();
    writeFileSync(join(folder, "short"), new Uint8Array(8));
    await expect(product(whole, isPacked)).rejects.toThrow();
  });
});

describe("GraphBuilder", () => {
  it("refuses a place whose size is not that of the shape, and places in two folders", () => {
    const graph = new GraphBuilder();
    const at = { folder, file: "f", offset: 0, byteLength: 16 };
    expect(() => graph.externalInitializer("m", "float32", [2, 3], at)).toThrow(/must have 24 bytes, got 16/);
    const left = graph.externalInitializer("a", "float32", [2, 2], at);
    const right = graph.externalInitializer("b", "float32", [2, 2], { ...at, folder: `${folder}-other` });
    expect(() => graph.build({ y: matMul(graph, left, right) })).toThrow(/tensors must lie in one folder/);
  });
});
