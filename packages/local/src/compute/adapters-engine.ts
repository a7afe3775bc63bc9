import { ClosedError, ValidationError } from "@tinkex/base";
import { createAdapterParameters } from "../adapter/adapter-parameters.js";
import { copyTensors } from "../adapter/adapter-tensors.js";
import type { AdapterShape } from "../engine/engine.js";
import { LOSSES } from "../losses/loss-table.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import { TaskQueues } from "../order/task-queues.js";
import { nextTurn } from "../runtime/next-turn.js";
import type { Runtime } from "../runtime/runtime.js";
import { Sampler, type SamplerOptions } from "../sampling/sampler.js";
import { createTrainer } from "../training/trainer.js";
import { AdapterState } from "./adapter-state.js";
import type { AdapterSnapshot, RecoverableEngine } from "./recoverable-engine.js";

/** The part of an engine that has no files: one base model, and its adapters in memory. Runs in browsers too. */
export interface AdaptersEngine
  extends Pick<
    RecoverableEngine,
    | "createAdapter"
    | "copyAdapter"
    | "releaseAdapter"
    | "readWeights"
    | "readGradients"
    | "restoreAdapter"
    | "pass"
    | "optimStep"
    | "sample"
    | "close"
  > {
  /** Calls `use` with an adapter, in the order of the operations on it. */
  withAdapter<T>(adapterId: string, use: (state: AdapterState) => Promise<T> | T): Promise<T>;
  /** Makes an adapter of what `make` gives, in the order of the operations on it, and tells its shape. */
  putAdapter(
    adapterId: string,
    make: () => Promise<AdapterSnapshot> | AdapterSnapshot,
  ): Promise<AdapterShape>;
}

/** Parts of a base model that the arithmetic needs. */
export interface AdaptersEngineParts extends Pick<SamplerOptions, "loadDecoder" | "memory"> {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  readonly runtime: Runtime;
  /** Bytes that the intermediate results of one training run may take. */
  readonly runBytes?: number | undefined;
  /** Bytes up to which one row is computed at once. */
  readonly rowBytes?: number | undefined;
}

/** Puts trainer, sampler and adapters of a base model together. Their arithmetic blocks this thread. */
export function createAdaptersEngine({
  config,
  weights,
  runtime,
  runBytes,
  rowBytes,
  memory,
  loadDecoder,
}: AdaptersEngineParts): AdaptersEngine {
  let closing: Promise<void> | undefined;
  const requireOpen = () => {
    if (closing !== undefined) throw new ClosedError("the engine is closed; start the server again");
  };
  const trainer = createTrainer({
    config,
    weights,
    runtime,
    runBytes,
    rowBytes,
    async betweenRuns() {
      await nextTurn();
      requireOpen();
    },
  });
  const sampler = new Sampler({ config, weights, runtime, memory, betweenRuns: nextTurn, loadDecoder });
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
  const withAdapter = <T>(adapterId: string, use: (state: AdapterState) => Promise<T> | T) =>
    inOrder(adapterId, () => use(adapter(adapterId)));
  const putAdapter = (adapterId: string, make: () => Promise<AdapterSnapshot> | AdapterSnapshot) =>
    inOrder(adapterId, async () => {
      const snapshot = await make();
      adapters.set(adapterId, new AdapterState(snapshot));
      return snapshot.parameters.shape;
    });
  const close = async () => {
    const sampling = sampler.close();
    await operations.idle();
    await sampling;
    await trainer.release();
  };

  return {
    withAdapter,
    putAdapter,
    async createAdapter(adapterId, shape, seed) {
      await putAdapter(adapterId, () => ({ parameters: createAdapterParameters(config, shape, seed) }));
    },
    copyAdapter(adapterId, copyId) {
      const copied = withAdapter(adapterId, (state) => state.copy());
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
    readWeights: (adapterId) => withAdapter(adapterId, (state) => state.copyWeights()),
    readGradients: (adapterId) => withAdapter(adapterId, ({ gradients }) => copyTensors(gradients)),
    async restoreAdapter(adapterId, snapshot) {
      await putAdapter(adapterId, () => snapshot);
    },
    pass: ({ adapterId, data, loss, lossConfig, forwardOnly }) =>
      withAdapter(adapterId, (state) => {
        const gradients = forwardOnly ? {} : { gradients: state.gradients };
        return trainer.pass({
          parameters: state.parameters,
          data,
          loss: LOSSES[loss],
          lossConfig,
          ...gradients,
        });
      }),
    optimStep: (adapterId, step) => withAdapter(adapterId, (state) => state.step(step)),
    async sample(task, signal) {
      const { adapterId } = task;
      if (adapterId === undefined) {
        requireOpen();
        return sampler.sample(task, undefined, signal);
      }
      // Only the choice of the weights waits its turn; training goes on while samples are drawn.
      const weightsNow = await withAdapter(adapterId, (state) => state.freeze());
      return sampler.sample(task, weightsNow, signal);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
