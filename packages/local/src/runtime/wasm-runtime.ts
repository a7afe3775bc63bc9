import type { OrtModule } from "./ort-module.js";
import { commonSessionOptions, compileOrtSession } from "./ort-session.js";
import type { Runtime } from "./runtime.js";

/** ONNX Runtime's WebAssembly build, which needs no native binding. The first call fixes the number of threads. */
export async function loadWasmRuntime(threads: number, reason: string): Promise<Runtime<"wasm">> {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = threads;
  return wasmRuntime(ort, threads, reason);
}

/** A loaded build of ONNX Runtime, for the arithmetic of WebAssembly. */
export function wasmRuntime(ort: OrtModule, threads: number, reason: string): Runtime<"wasm"> {
  return {
    name: "wasm",
    threads,
    reason,
    compile: (graph) =>
      compileOrtSession(ort, graph, { ...commonSessionOptions, executionProviders: ["wasm"] }),
  };
}
