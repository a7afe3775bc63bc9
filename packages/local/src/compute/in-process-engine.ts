import { ClosedError, ValidationError } from "@tinkex/base";
import { readAdapterDirectory, writeAdapterDirectory } from "../adapter/adapter-directory.js";
import { createAdapterParameters } from "../adapter/adapter-parameters.js";
import { copyTensors } from "../adapter/adapter-tensors.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { LOSSES } from "../losses/loss-table.js";
import { readDecoder } from "../model/read-decoder.js";
import { readModelConfig } from "../model/read-model-config.js";
import { TaskQueues } from "../order/task-queues.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { Sampler } from "../sampling/sampler.js";
import { createTrainer } from "../training/trainer.js";
import { AdapterState } from "./adapter-state.js";
import { openEngineWeights } from "./engine-weights.js";
import type { RecoverableEngine } from "./recoverable-engine.js";

/**
 * An engine in this thread, which its arithmetic blocks. {@link createEngine} runs one in a worker.
 *
 * @throws ValidationError when the directory is no model this engine can run, or an option is wrong; TinkexError
 * `missing_dependency`
 */
export async function createInProcessEngine(options: EngineOptions): Promise<RecoverableEngine> {
  const { name, directory } = options.model;
  const config = readModelConfig(directory);
  // Before the files of the weights are open: nothing is to be closed when there is no runtime.
  const runtime = await createRuntime(options);
  const weights = openEngineWeights(config, options, runtime.name);
  let closing: Promise<void> | undefined;
  const requireOpen = () => {
    if (closing !== undefined) throw new ClosedError("the engine is closed; start the server again");
  };
  const trainer = createTrainer({
    config,
    weights,
    runtime,
    async betweenRuns() {
      await nextTurn();
      requireOpen();
    },
  });
  const sampler = new Sampler({
    config,
    weights,
    runtime,
    betweenRuns: nextTurn,
    loadDecoder: async () => readDecoder(directory),
  });

  const adapters = new Map<string, AdapterState>();
  const operations = new TaskQueues();
  /** Operations on one adapter run in order of arrival, whatever they wait for. */
  const inOrder = <T>(adapterId: string, operation: () => Promise<T> | T): Promise<T> =>
    operations.run(adapterId, async () => {
      requireOpen();
      return operation();
    });
  const adapter = (id: string): AdapterState => {
    const state = adapters.get(id);
    if (state === undefined) {
      throw new ValidationError(
        `there is no adapter "${id}" in memory; create it, or load it from a checkpoint`,
      );
    }
    return state;
  };

  const close = async () => {
    const sampling = sampler.close();
    await operations.idle();
    await sampling;
    await trainer.release();
    weights.close();
  };

  return {
    model: {
      name,
      directory,
      architecture: config.architecture,
      vocabularySize: config.vocabularySize,
      contextLength: config.contextLength,
      endTokenIds: config.endTokenIds,
    },
    runtime: { name: runtime.name, threads: runtime.threads, reason: runtime.reason },

    fingerprint: weights.fingerprint,

    fault: undefined,

    createAdapter: (adapterId, shape, seed) =>
      inOrder(adapterId, () => {
        const parameters = createAdapterParameters(config, shape, seed);
        adapters.set(adapterId, new AdapterState({ parameters }));
      }),

    loadAdapter: (adapterId, from, { includesOptimizer }) =>
      inOrder(adapterId, async () => {
        const stored = await readAdapterDirectory(from, config, { includesOptimizer });
        adapters.set(adapterId, new AdapterState(stored));
        return stored.parameters.shape;
      }),

    saveAdapter: (adapterId, to, { includesOptimizer }) =>
      inOrder(adapterId, () => {
        const stored = adapter(adapterId).toStore(includesOptimizer);
        return writeAdapterDirectory(to, stored, name);
      }),

    copyAdapter(adapterId, copyId) {
      const copied = inOrder(adapterId, () => adapter(adapterId).copy());
      // Calls to the copy meanwhile wait for it; a failure shows there.
      copied.catch(() => {});
      return inOrder(copyId, async () => {
        adapters.set(copyId, await copied);
      });
    },

    releaseAdapter: (adapterId) =>
      inOrder(adapterId, () => {
        adapters.delete(adapterId);
      }),

    readWeights: (adapterId) => inOrder(adapterId, () => adapter(adapterId).copyWeights()),

    readGradients: (adapterId) => inOrder(adapterId, () => copyTensors(adapter(adapterId).gradients)),

    restoreAdapter: (adapterId, snapshot) =>
      inOrder(adapterId, () => {
        adapters.set(adapterId, new AdapterState(snapshot));
      }),

    pass: ({ adapterId, data, loss, lossConfig, forwardOnly }) =>
      inOrder(adapterId, () => {
        const state = adapter(adapterId);
        const gradients = forwardOnly ? {} : { gradients: state.gradients };
        return trainer.pass({
          parameters: state.parameters,
          data,
          loss: LOSSES[loss],
          lossConfig,
          ...gradients,
        });
      }),

    optimStep: (adapterId, step) => inOrder(adapterId, () => adapter(adapterId).step(step)),

    async sample(task, signal) {
      const { adapterId } = task;
      if (adapterId === undefined) {
        requireOpen();
        return sampler.sample(task, undefined, signal);
      }
      // Only the choice of the weights waits its turn; training goes on while samples are drawn.
      const weightsNow = await inOrder(adapterId, () => adapter(adapterId).freeze());
      return sampler.sample(task, weightsNow, signal);
    },

    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The arithmetic blocks the thread; only between its runs can messages arrive and other work have its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
