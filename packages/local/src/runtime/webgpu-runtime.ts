import { Mutex } from "@tinkex/base";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import type { OrtModule } from "./ort-module.js";
import { commonSessionOptions, compileOrtSession } from "./ort-session.js";
import type { Runtime } from "./runtime.js";
import { tensor } from "./tensor.js";

/** The global `navigator` of a browser, as far as it tells of WebGPU. */
export interface GpuNavigator {
  readonly gpu?: { requestAdapter(): Promise<object | null> } | undefined;
}

/** Finds out why WebGPU is not there; nothing where it is. */
export async function webGpuObstacle({ gpu }: GpuNavigator): Promise<string | undefined> {
  if (gpu === undefined) return "there is no WebGPU here";
  return (await gpu.requestAdapter()) === null ? "WebGPU has no adapter here" : undefined;
}

/**
 * ONNX Runtime's WebGPU build: what its kernels lack is computed in WebAssembly.
 *
 * @throws Error where it does not compute
 */
export async function loadWebGpuRuntime(ort: OrtModule, reason: string): Promise<Runtime<"webgpu">> {
  // It can do one thing at a time, and fails where another is begun meanwhile.
  const mutex = new Mutex();
  const { signal } = new AbortController();
  const alone = <T>(body: () => Promise<T>) => mutex.runExclusive(signal, body);
  const runtime: Runtime<"webgpu"> = {
    name: "webgpu",
    threads: 1,
    reason,
    async compile(graph) {
      const options = {
        ...commonSessionOptions,
        // Some of them choose the layout that this provider's kernels want.
        graphOptimizationLevel: "all",
        executionProviders: ["webgpu"],
      } as const;
      const session = await alone(() => compileOrtSession(ort, graph, options));
      return {
        run: (feeds) => alone(() => session.run(feeds)),
        release: () => alone(() => session.release()),
      };
    },
  };
  await tryOut(runtime);
  return runtime;
}

/** Multiplies two small matrices: an adapter may be there, and fail with the first graph. */
async function tryOut(runtime: Runtime): Promise<void> {
  const graph = new GraphBuilder();
  const x = graph.input("x", "float32", [2, 2]);
  const session = await runtime.compile(graph.build({ y: matMul(graph, x, x) }));
  const outputs = await session.run({ x: tensor("float32", [2, 2], Float32Array.of(1, 2, 3, 4)) });
  const product = outputs.float32("y").join();
  await session.release();
  if (product !== "7,10,15,22") throw new Error(`a product of matrices must be 7,10,15,22, got ${product}`);
}
