import { type Clock, ClosedError, type Logger, TinkexError } from "@tinkex/base";
import type {
  AdamStep,
  AdapterShape,
  Engine,
  PassRequest,
  PassResult,
  SampleTask,
} from "../engine/engine.js";
import { type AdapterStore, IdleAdapters } from "./idle-adapters.js";
import type { AdapterSnapshot, RecoverableEngine } from "./recoverable-engine.js";
import { type EngineThread, WorkerRpcClient } from "./worker-rpc-client.js";

/** Restarts within {@link RESTART_WINDOW_MS} after which an engine is given up: what ends it would end it again. */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 10 * 60_000;
/** Pause before the second restart of a row; each further one doubles it. */
const RESTART_PAUSE_MS = 500;

export interface Supervision {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts a thread or process that serves the engine. */
  start(): EngineThread;
  /** Keeps the adapters that nobody has used for minutes. Absent: all are in memory. */
  readonly store?: AdapterStore | undefined;
}

/**
 * Engine in a thread or process that is started again when it ends, out of memory for example. A copy of each adapter is kept on this
 * side, as it was after the last operation that was answered, and put back. Calls under way at the end fail with the reason; those
 * that come meanwhile wait.
 */
export class SupervisedEngine implements Engine {
  readonly model: Engine["model"];
  readonly runtime: Engine["runtime"];
  readonly #supervision: Supervision;
  readonly #fingerprint: string;
  readonly #snapshots = new Map<string, AdapterSnapshot>();
  readonly #closed = new AbortController();
  readonly #restartsAtMs: number[] = [];
  readonly #idle: IdleAdapters | undefined;
  #client: WorkerRpcClient;
  #ready: Promise<void> = Promise.resolve();
  #fault: string | undefined;

  private constructor(
    supervision: Supervision,
    client: WorkerRpcClient,
    { model, runtime, fingerprint }: Pick<RecoverableEngine, "model" | "runtime" | "fingerprint">,
  ) {
    this.#supervision = supervision;
    this.#client = client;
    this.model = model;
    this.runtime = runtime;
    this.#fingerprint = fingerprint;
    const { store, clock, logger } = supervision;
    if (store !== undefined) {
      this.#idle = new IdleAdapters({
        clock,
        logger,
        store,
        copy: (adapterId) => this.#snapshots.get(adapterId),
        drop: (adapterId) => this.#release(adapterId),
        restore: (adapterId, snapshot) => this.#restore(adapterId, snapshot),
      });
    }
    this.#watch(client);
  }

  /**
   * Starts the engine for the first time.
   *
   * @throws what making it threw; there is no second try. AbortedError when the signal fires before it is there
   */
  static async start(supervision: Supervision, signal?: AbortSignal): Promise<SupervisedEngine> {
    const client = new WorkerRpcClient(supervision.start());
    try {
      return new SupervisedEngine(supervision, client, await client.call("describe", [], signal));
    } catch (error) {
      // One that is being made hears of nothing until it is.
      await (signal?.aborted === true ? client.terminate() : client.close());
      throw error;
    }
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  createAdapter(adapterId: string, shape: AdapterShape, seed: number): Promise<void> {
    return this.#use([adapterId], async (client) => {
      await this.#keepWeights(client, adapterId, client.call("createAdapter", [adapterId, shape, seed]));
    });
  }

  loadAdapter(...args: Parameters<Engine["loadAdapter"]>): Promise<AdapterShape> {
    return this.#use([args[0]], (client) =>
      this.#keepWeights(client, args[0], client.call("loadAdapter", args)),
    );
  }

  copyAdapter(adapterId: string, copyId: string): Promise<void> {
    // The copy of the source that is kept here may be of a later step already, whose answer was here first.
    return this.#use([adapterId, copyId], async (client) => {
      await this.#keepWeights(client, copyId, client.call("copyAdapter", [adapterId, copyId]));
    });
  }

  pass(request: PassRequest): Promise<PassResult> {
    const { adapterId } = request;
    return this.#use([adapterId], async (client) => {
      const passed = client.call("pass", [request]);
      if (request.forwardOnly) return passed;
      const [result, gradients] = await both(passed, client.call("readGradients", [adapterId]));
      const snapshot = this.#snapshots.get(adapterId);
      if (snapshot !== undefined) this.#snapshots.set(adapterId, { ...snapshot, gradients });
      return result;
    });
  }

  optimStep(adapterId: string, params: AdamStep): Promise<Readonly<Record<string, number>>> {
    return this.#use([adapterId], (client) =>
      this.#keepWeights(client, adapterId, client.call("optimStep", [adapterId, params])),
    );
  }

  saveAdapter(...args: Parameters<Engine["saveAdapter"]>): Promise<number> {
    return this.#use([args[0]], (client) => client.call("saveAdapter", args));
  }

  /** Forgets an adapter. An engine that has ended, or was given up, has no memory to give back, which is no failure. */
  releaseAdapter(adapterId: string): Promise<void> {
    const release = () => this.#release(adapterId);
    return this.#idle === undefined ? release() : this.#idle.forget(adapterId, release);
  }

  async sample(task: SampleTask, signal?: AbortSignal): ReturnType<Engine["sample"]> {
    const { adapterId } = task;
    if (adapterId === undefined) return (await this.#open()).call("sample", [task], signal);
    return this.#use([adapterId], (client) => client.call("sample", [task], signal));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#client.close();
    await this.#ready.catch(() => {});
    // Of a restart that was under way.
    await this.#client.close();
    await this.#idle?.close();
  }

  /** Runs `work` with adapters in the engine's memory. */
  #use<T>(adapterIds: readonly string[], work: (client: WorkerRpcClient) => Promise<T>): Promise<T> {
    const run = async () => work(await this.#open());
    return this.#idle === undefined ? run() : this.#idle.use(adapterIds, run);
  }

  async #release(adapterId: string): Promise<void> {
    try {
      const client = await this.#open();
      await client.call("releaseAdapter", [adapterId]);
    } catch (error) {
      if (this.#fault === undefined) throw error;
    } finally {
      // Not before: the answers of calls under way would bring it back.
      this.#snapshots.delete(adapterId);
    }
  }

  async #restore(adapterId: string, snapshot: AdapterSnapshot): Promise<void> {
    const client = await this.#open();
    await client.call("restoreAdapter", [adapterId, snapshot]);
    this.#snapshots.set(adapterId, snapshot);
  }

  /** Waits for a restart that is under way. @throws TinkexError once the engine was given up */
  async #open(): Promise<WorkerRpcClient> {
    await this.#ready;
    return this.#client;
  }

  /** Copies an adapter's weights right behind the operation that changes them, and then lets its answer go. */
  async #keepWeights<T>(client: WorkerRpcClient, adapterId: string, operation: Promise<T>): Promise<T> {
    const [result, snapshot] = await both(operation, client.call("readWeights", [adapterId]));
    this.#snapshots.set(adapterId, snapshot);
    return result;
  }

  #watch(client: WorkerRpcClient): void {
    void client.lost.then((error) => {
      if (this.#closed.signal.aborted) return;
      this.#fault = error.message;
      this.#supervision.logger.error(
        `engine of ${this.model.name}: it is started again, because ${error.message}`,
      );
      this.#ready = this.#restart();
      // Whoever calls next hears of it.
      this.#ready.catch(() => {});
    });
  }

  async #restart(): Promise<void> {
    const { clock, logger } = this.#supervision;
    for (let tries = 0; ; tries += 1) {
      const sinceMs = clock.monotonic() - RESTART_WINDOW_MS;
      if (this.#restartsAtMs.filter((atMs) => atMs > sinceMs).length >= MAX_RESTARTS) {
        throw this.#givenUp(
          `${this.#fault}; it ended ${MAX_RESTARTS} times within ${RESTART_WINDOW_MS / 60_000} minutes, and is given up: start the server again`,
        );
      }
      if (tries > 0) await clock.sleep(RESTART_PAUSE_MS * 2 ** tries, this.#closed.signal).catch(() => {});
      if (this.#closed.signal.aborted) throw new ClosedError("the engine is closed; start the server again");
      this.#restartsAtMs.push(clock.monotonic());
      let client: WorkerRpcClient | undefined;
      let isOtherModel = false;
      try {
        // Fails by itself where the system has no thread left.
        client = new WorkerRpcClient(this.#supervision.start());
        const { fingerprint } = await client.call("describe", []);
        isOtherModel = fingerprint !== this.#fingerprint;
        for (const [adapterId, snapshot] of isOtherModel ? [] : this.#snapshots) {
          await client.call("restoreAdapter", [adapterId, snapshot]);
        }
      } catch (error) {
        await client?.close();
        this.#fault = error instanceof Error ? error.message : String(error);
        logger.error(`engine of ${this.model.name}: it could not be started again, because ${this.#fault}`);
        continue;
      }
      if (isOtherModel) {
        await client.close();
        throw this.#givenUp(
          `the files of the model in ${this.model.directory} are not those it was started with, to which its adapters belong; ` +
            "it is given up: start the server again to go on from checkpoints",
        );
      }
      this.#client = client;
      this.#fault = undefined;
      this.#watch(client);
      logger.warn(
        `engine of ${this.model.name}: it runs again, with ${this.#snapshots.size} adapters as the last answers left them`,
      );
      return;
    }
  }

  #givenUp(fault: string): TinkexError {
    this.#fault = fault;
    this.#supervision.logger.error(`engine of ${this.model.name}: ${fault}`);
    return new TinkexError(fault, { code: "request_failed" });
  }
}

/** Waits for an operation and for the copy behind it. A failure of the operation is the one that is told. */
async function both<A, B>(operation: Promise<A>, copy: Promise<B>): Promise<[A, B]> {
  copy.catch(() => {});
  return [await operation, await copy];
}
