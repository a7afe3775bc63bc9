import { readAdapterDirectory, writeAdapterDirectory } from "../adapter/adapter-directory.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { readDecoder } from "../model/read-decoder.js";
import { readModelConfig } from "../model/read-model-config.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { createAdaptersEngine } from "./adapters-engine.js";
import { openEngineWeights } from "./engine-weights.js";
import { planMemory } from "./memory-plan.js";
import type { RecoverableEngine } from "./recoverable-engine.js";
import { requireQuantizedProducts } from "./require-quantized-products.js";

/**
 * An engine in this thread, which its arithmetic blocks. {@link createEngine} runs one in a worker.
 *
 * @throws ValidationError when the directory is no model this engine can run, or an option is wrong; TinkexError
 * `missing_dependency`
 */
export async function createInProcessEngine(options: EngineOptions): Promise<RecoverableEngine> {
  const { name, directory, weights: format = "float32" } = options.model;
  const wholeConfig = readModelConfig(directory);
  const { contextLength, runBytes, rowBytes, sampling } = planMemory(
    wholeConfig,
    options.model,
    options.memoryLimit,
  );
  const config = { ...wholeConfig, contextLength };
  // Before the files of the weights are open: nothing is to be closed when there is no runtime.
  const runtime = await createRuntime(options);
  await requireQuantizedProducts(runtime, format);
  const weights = openEngineWeights(wholeConfig, options, runtime.name);
  const { withAdapter, putAdapter, close, ...engine } = createAdaptersEngine({
    config,
    weights,
    runtime,
    runBytes,
    rowBytes,
    memory: sampling,
    loadDecoder: async () => readDecoder(directory),
  });
  let closing: Promise<void> | undefined;
  return {
    ...engine,
    model: {
      name,
      directory,
      architecture: config.architecture,
      vocabularySize: config.vocabularySize,
      contextLength,
      endTokenIds: config.endTokenIds,
      weights: format,
    },
    runtime: { name: runtime.name, threads: runtime.threads, reason: runtime.reason },
    fingerprint: weights.fingerprint,
    fault: undefined,
    loadAdapter: (adapterId, from, { includesOptimizer }) =>
      putAdapter(adapterId, () => readAdapterDirectory(from, config, { includesOptimizer })),
    saveAdapter: (adapterId, to, { includesOptimizer }) =>
      withAdapter(adapterId, (state) => writeAdapterDirectory(to, state.toStore(includesOptimizer), name)),
    close() {
      closing ??= close().finally(() => weights.close());
      return closing;
    },
  };
}
