import { availableParallelism } from "node:os";
import { TinkexError } from "@tinkex/base";
import { checkRuntimeOptions, type RuntimeOptions } from "./check-runtime-options.js";
import { loadNativeRuntime } from "./native-runtime.js";
import type { Runtime, RuntimeName } from "./runtime.js";
import { loadWasmRuntime } from "./wasm-runtime.js";

/** Loads one runtime; replaced in tests to act out a machine without the native binding. */
export type RuntimeLoader = (threads: number, reason: string) => Promise<Runtime<RuntimeName>>;

const defaultLoaders: Readonly<Record<RuntimeName, RuntimeLoader>> = {
  native: loadNativeRuntime,
  wasm: loadWasmRuntime,
};

/**
 * Chooses what runs the graphs.
 *
 * @throws ValidationError when `threads` is not a positive whole number, or there is no runtime of that name
 * @throws TinkexError `missing_dependency` when the native runtime is asked for and does not load
 */
export async function createRuntime(
  options: RuntimeOptions = {},
  loaders: Readonly<Record<RuntimeName, RuntimeLoader>> = defaultLoaders,
): Promise<Runtime<RuntimeName>> {
  checkRuntimeOptions(options);
  const { runtime = "auto", threads = availableParallelism() } = options;
  if (runtime === "wasm") return loaders.wasm(threads, "asked for");
  try {
    return await loaders.native(threads, runtime === "native" ? "asked for" : "it loads here");
  } catch (cause) {
    const why = firstLine(cause);
    if (runtime === "auto") return loaders.wasm(threads, `onnxruntime-node does not load here (${why})`);
    throw new TinkexError(
      `the native runtime does not load: ${why}; install onnxruntime-node, or choose the runtime "wasm"`,
      { code: "missing_dependency", cause },
    );
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0]?.replace(/\.$/, "") ?? "";
}
