import { ClosedError, type WaitLimits } from "@tinkex/base";
import { ApiFuture } from "../future/api-future.js";
import { LiveOperations, type OperationRegistry } from "../future/live-operations.js";
import type { FutureWork } from "../future/operation-context.js";
import type { ServiceCore } from "./service-core.js";

/**
 * The operations of one client, which end when it, or the service client it belongs to, is closed. Nothing holds on to a client
 * without operations: a training loop makes a sampling client a step and need not close them.
 */
export class ClientLife {
  readonly #core: ServiceCore;
  readonly #name: string;
  readonly #live = new LiveOperations();
  #closed: ClosedError | undefined;

  /** `name` is what messages call the client. */
  constructor(core: ServiceCore, name: string) {
    this.#core = core;
    this.#name = name;
  }

  /** Runs an operation behind a future. */
  start<T>(operation: string, limits: WaitLimits, run: (work: FutureWork) => Promise<T>): ApiFuture<T> {
    const { clock, logger } = this.#core.settings;
    const live: OperationRegistry = {
      add: (end) => {
        const leaves = [this.#core.live.add(end), this.#live.add(end)];
        return () => {
          for (const leave of leaves) leave();
        };
      },
    };
    return new ApiFuture(operation, { clock, logger, live }, limits, run);
  }

  /** @throws ClosedError once the client, or its service client, is closed */
  checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
    this.#core.checkOpen();
  }

  /** Ends all operations. May be called twice. */
  close(): void {
    this.#closed ??= new ClosedError(`${this.#name} is closed`);
    this.#live.endAll(this.#closed);
  }
}
