import type { OrtModule } from "./ort-module.js";
import { compileOrtSession } from "./ort-session.js";
import type { Runtime } from "./runtime.js";

/**
 * ONNX Runtime's native CPU build.
 *
 * @throws whatever importing the optional package `onnxruntime-node` throws where it or its binding is absent
 */
export async function loadNativeRuntime(threads: number, reason: string): Promise<Runtime> {
  const module: OrtModule & { default?: OrtModule } = await import("onnxruntime-node");
  // A CommonJS package: some loaders give its exports as `default`, others as the module itself.
  const ort = module.default ?? module;
  return {
    name: "native",
    threads,
    reason,
    compile: (graph) =>
      compileOrtSession(ort, graph, {
        executionProviders: ["cpu"],
        intraOpNumThreads: threads,
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
      }),
  };
}
