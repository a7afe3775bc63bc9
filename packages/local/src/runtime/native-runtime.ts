import type { OnnxGraph } from "../onnx/onnx-graph.js";
import { disableTelemetry, isTelemetryDisabled } from "./disable-telemetry.js";
import type { OrtModule } from "./ort-module.js";
import { commonSessionOptions, compileOrtSession } from "./ort-session.js";
import type { Runtime } from "./runtime.js";

/** Tells the runtime where tensors outside the model file outside the model file are, and whether it may keep copies of them in a layout of its own. */
function externalOptions({ external }: OnnxGraph): Record<string, string> {
  if (external === undefined) return {};
  const { folder, isPacked } = external;
  return {
    model_external_initializers_file_folder_path: folder,
    disable_prepacking: isPacked ? "0" : "1",
  };
}

/**
 * Threads without work sleep. Left spinning, they take the cores from whatever else the machine does: with both cores of
 * two busy, a pass took 3 times as long and twice the processor time.
 */
const withoutSpinning = { intra_op: { allow_spinning: "0" } };

/**
 * ONNX Runtime's native CPU build, which is loaded only where it reports nothing of its own.
 *
 * @throws Error in a thread where its reports cannot be turned off, and whatever importing the optional package `onnxruntime-node` throws where it or its binding is absent
 */
export async function loadNativeRuntime(threads: number, reason: string): Promise<Runtime<"native">> {
  const wasDisabled = isTelemetryDisabled();
  if (!disableTelemetry() && !wasDisabled) {
    throw new Error("its telemetry can be turned off by the process only, not by this thread");
  }
  const module: OrtModule & { default?: OrtModule } = await import("onnxruntime-node");
  // A CommonJS package: some loaders give its exports as `default`, others as the module itself.
  const ort = module.default ?? module;
  return {
    name: "native",
    threads,
    reason,
    compile: (graph) =>
      compileOrtSession(ort, graph, {
        ...commonSessionOptions,
        executionProviders: ["cpu"],
        intraOpNumThreads: threads,
        extra: { session: { ...withoutSpinning, ...externalOptions(graph) } },
      }),
  };
}
