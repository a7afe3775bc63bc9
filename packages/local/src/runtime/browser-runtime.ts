import { TinkexError } from "@tinkex/base";
import { checkRuntimeOptions } from "./check-runtime-options.js";
import type { Runtime } from "./runtime.js";
import { loadWasmRuntime, wasmRuntime } from "./wasm-runtime.js";
import { type GpuNavigator, loadWebGpuRuntime, webGpuObstacle } from "./webgpu-runtime.js";

/** Runtimes that need no binding of Node. */
export type BrowserRuntimeName = "webgpu" | "wasm";

export interface BrowserRuntimeOptions {
  /** @defaultValue `auto`: WebGPU where it is there and computes, else wasm */
  readonly runtime?: BrowserRuntimeName | "auto" | undefined;
  /**
   * Threads of WebAssembly. More than one need a page that is cross-origin isolated. @defaultValue one per core in such a page, else 1
   */
  readonly threads?: number | undefined;
  /**
   * URL of a folder that has the files `ort-wasm-simd-threaded*` of `onnxruntime-web`, ending in `/`. @defaultValue where
   * `onnxruntime-web` looks for them itself
   */
  readonly runtimeFolder?: string | undefined;
}

const RUNTIMES = ["auto", "webgpu", "wasm"] as const;

/** Globals that a runtime is chosen by; {@link globalThis} has them. */
export interface BrowserGlobals {
  readonly navigator?: (GpuNavigator & { readonly hardwareConcurrency?: number }) | undefined;
  readonly crossOriginIsolated?: boolean | undefined;
  readonly process?: { readonly versions?: { readonly node?: string | undefined } } | undefined;
}

/**
 * Chooses what runs the graphs in a browser, or in WebAssembly in Node.
 *
 * @throws ValidationError when `threads` is not a positive whole number, or there is no runtime of that name
 * @throws TinkexError `missing_dependency` when WebGPU is asked for and does not compute here
 */
export async function createBrowserRuntime(
  options: BrowserRuntimeOptions,
  globals: BrowserGlobals = globalThis,
): Promise<Runtime<BrowserRuntimeName>> {
  checkRuntimeOptions(options, RUNTIMES);
  const { runtime = "auto", runtimeFolder } = options;
  const { navigator = {}, crossOriginIsolated = false } = globals;
  const isNode = globals.process?.versions?.node !== undefined;
  const { threads = isNode || crossOriginIsolated ? (navigator.hardwareConcurrency ?? 1) : 1 } = options;
  if (runtime === "wasm") return loadWasm(threads, "asked for", isNode, runtimeFolder);
  try {
    const obstacle = await webGpuObstacle(navigator);
    if (obstacle !== undefined) throw new Error(obstacle);
    const ort = await import("onnxruntime-web/webgpu");
    if (runtimeFolder !== undefined) ort.env.wasm.wasmPaths = runtimeFolder;
    return await loadWebGpuRuntime(ort, runtime === "webgpu" ? "asked for" : "it computes here");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (runtime === "auto") return loadWasm(threads, why, isNode, runtimeFolder);
    throw new TinkexError(`the WebGPU runtime does not compute: ${why}; choose the runtime "wasm"`, {
      code: "missing_dependency",
      cause,
    });
  }
}

/** The build for browsers fetches its files, which Node cannot do from its disk. */
async function loadWasm(
  threads: number,
  reason: string,
  isNode: boolean,
  runtimeFolder: string | undefined,
): Promise<Runtime<"wasm">> {
  if (isNode) return loadWasmRuntime(threads, reason);
  const ort = await import("onnxruntime-web/wasm");
  ort.env.wasm.numThreads = threads;
  if (runtimeFolder !== undefined) ort.env.wasm.wasmPaths = runtimeFolder;
  return wasmRuntime(ort, threads, reason);
}
