import type { Clock } from "@tinkex/base";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";

export interface SequenceQueueOptions {
  /** Owner of the operations, for messages. */
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds that operations wait for a missing number before them. */
  readonly gapTimeoutMs: number;
}

interface Task {
  run(): Promise<void>;
  fail(failure: OperationFailure): void;
}

/**
 * Runs the operations of one model one at a time in the order of their sequence ids, whatever the order of arrival:
 * the SDKs send the chunks 2…k of a call before chunk 1. The creation of the model is number 0.
 */
export class SequenceQueue {
  readonly #options: SequenceQueueOptions;
  readonly #waiting = new Map<number, Task>();
  #next = 0;
  #highest = -1;
  #running: Promise<void> | undefined;
  #gapTimer: AbortController | undefined;
  #closed: OperationFailure | undefined;

  constructor(options: SequenceQueueOptions) {
    this.#options = options;
  }

  /** The number an operation gets that came without one: after all that arrived so far. */
  get following(): number {
    return this.#highest + 1;
  }

  /**
   * Queues `operation` as number `sequenceId`. The promise settles as the operation does.
   *
   * @throws RequestRefusal 409, synchronously, when the number has been passed or is taken
   */
  enqueue<T>(sequenceId: number, operation: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (sequenceId < this.#next || this.#waiting.has(sequenceId)) {
      throw new RequestRefusal(
        409,
        `sequence id ${sequenceId} of ${this.#options.name} was used before, or given up because it did not come in time; ` +
          `use ${this.following}`,
      );
    }
    this.#highest = Math.max(this.#highest, sequenceId);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(sequenceId, {
        run: () => Promise.resolve().then(operation).then(resolve, reject),
        fail: reject,
      });
      if (this.#running === undefined) this.#advance();
    });
  }

  /** Fails what waits and all that comes later. An operation under way is left to end by itself. */
  close(failure: OperationFailure): void {
    this.#closed ??= failure;
    this.#gapTimer?.abort();
    this.#failWaiting(this.#closed);
  }

  /** Settles once no operation is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #advance(): void {
    const first = this.#take();
    if (first !== undefined) this.#running = this.#runFrom(first);
    else if (this.#waiting.size > 0) this.#watchGap();
  }

  async #runFrom(first: Task): Promise<void> {
    for (let task: Task | undefined = first; task !== undefined; task = this.#take()) await task.run();
    this.#running = undefined;
    if (this.#waiting.size > 0) this.#watchGap();
  }

  #take(): Task | undefined {
    const task = this.#waiting.get(this.#next);
    if (task === undefined) return undefined;
    this.#gapTimer?.abort();
    this.#gapTimer = undefined;
    this.#waiting.delete(this.#next);
    this.#next += 1;
    return task;
  }

  #watchGap(): void {
    if (this.#gapTimer !== undefined) return;
    const timer = new AbortController();
    this.#gapTimer = timer;
    this.#options.clock.sleep(this.#options.gapTimeoutMs, timer.signal).then(
      () => this.#giveUpGap(),
      () => {}, // The gap was filled, or the queue closed.
    );
  }

  #giveUpGap(): void {
    this.#gapTimer = undefined;
    const missing = this.#next;
    this.#next = this.#highest + 1;
    const seconds = this.#options.gapTimeoutMs / 1000;
    this.#failWaiting(
      new OperationFailure(
        `sequence id ${missing} of ${this.#options.name} did not arrive within ${seconds} s, so the operations after it ` +
          `were given up; the next sequence id is ${this.#next}`,
        "server",
      ),
    );
  }

  #failWaiting(failure: OperationFailure): void {
    const tasks = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const task of tasks) task.fail(failure);
  }
}
