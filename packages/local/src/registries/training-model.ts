import type { AdapterShape, Engine } from "../engine/engine.js";
import { OperationFailure } from "../errors/operation-failure.js";
import type { SequenceQueue } from "../order/sequence-queue.js";

/** Parts of a model: an adapter of this shape in this engine, under the model's own id. */
export interface ModelAdapter {
  readonly engine: Engine;
  readonly shape: AdapterShape;
}

/** A model under training: an adapter of an engine, and the order of what is done with it. */
export class TrainingModel {
  readonly id: string;
  readonly sessionId: string;
  readonly queue: SequenceQueue;
  lastRequestAtMs: number;
  #adapter: ModelAdapter | undefined;
  readonly #warnings = new Set<string>();

  constructor(info: {
    readonly id: string;
    readonly sessionId: string;
    readonly queue: SequenceQueue;
    readonly createdAtMs: number;
  }) {
    this.id = info.id;
    this.sessionId = info.sessionId;
    this.queue = info.queue;
    this.lastRequestAtMs = info.createdAtMs;
  }

  /** Absent until it has been made, and after it was released. */
  get adapter(): ModelAdapter | undefined {
    return this.#adapter;
  }

  /** The adapter, for an operation that stands behind the creation in the queue. @throws OperationFailure `user` */
  requireAdapter(): ModelAdapter {
    if (this.#adapter === undefined) throw new OperationFailure(`model ${this.id} was unloaded`, "user");
    return this.#adapter;
  }

  /** Tells whether this is the first warning of its kind about the model, of which the log gets one. */
  isFirstWarning(kind: "formula" | "loss" | "weights"): boolean {
    const isFirst = !this.#warnings.has(kind);
    this.#warnings.add(kind);
    return isFirst;
  }

  /**
   * Makes the adapter, as number 0 in the model's order. When that fails, everything after it fails too.
   *
   * @param make - makes it, under this model's id
   */
  create(make: () => Promise<ModelAdapter>): Promise<ModelAdapter> {
    return this.queue.enqueue(0, async () => {
      try {
        this.#adapter = await make();
        return this.#adapter;
      } catch (error) {
        const { message, category } = OperationFailure.from(error);
        this.queue.close(new OperationFailure(`model ${this.id} was not created: ${message}`, category));
        throw error;
      }
    });
  }

  /** Waits for the operation under way, then {@link release}s. */
  async retire(reason: string): Promise<void> {
    this.#closeQueue(reason);
    await this.queue.idle();
    await this.release(reason);
  }

  /** Gives the adapter's memory back, as an operation of the model's own; what is still queued fails with `reason`. */
  async release(reason: string): Promise<void> {
    this.#closeQueue(reason);
    const adapter = this.#adapter;
    this.#adapter = undefined;
    await adapter?.engine.releaseAdapter(this.id);
  }

  #closeQueue(reason: string): void {
    this.queue.close(new OperationFailure(`model ${this.id} is gone: ${reason}`, "user"));
  }
}
