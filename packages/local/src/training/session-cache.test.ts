import { expect, it } from "vitest";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Runtime } from "../runtime/runtime.js";
import { SessionCache } from "./session-cache.js";

const graph: OnnxGraph = { model: new Uint8Array(), inputs: [], outputs: [], operators: [] };

/** Compiles to sessions that only count, and fails as often as told. */
function countingRuntime(failures = 0) {
  const counts = { compiled: 0, released: 0 };
  const runtime: Runtime = {
    name: "wasm",
    threads: 1,
    reason: "counting",
    async compile() {
      counts.compiled += 1;
      if (counts.compiled <= failures) throw new Error("no memory");
      return {
        run: () => Promise.reject(new Error("only counted")),
        async release() {
          counts.released += 1;
        },
      };
    },
  };
  return { runtime, counts };
}

it("compiles a graph once for callers that ask at the same time", async () => {
  const { runtime, counts } = countingRuntime();
  const cache = new SessionCache(runtime);
  const [first, second] = await Promise.all([cache.get("a", () => graph), cache.get("a", () => graph)]);
  expect(first).toBe(second);
  expect(await cache.get("b", () => graph)).not.toBe(first);
  expect(counts.compiled).toBe(2);
});

it("tries again after a failure", async () => {
  const { runtime, counts } = countingRuntime(1);
  const cache = new SessionCache(runtime);
  await expect(cache.get("a", () => graph)).rejects.toThrow("no memory");
  await cache.get("a", () => graph);
  expect(counts.compiled).toBe(2);
});

it("releases every session", async () => {
  const { runtime, counts } = countingRuntime();
  const cache = new SessionCache(runtime);
  await cache.get("a", () => graph);
  await cache.get("b", () => graph);
  await cache.release();
  expect(counts.released).toBe(2);
});
