import type { TinkexError } from "@tinkex/base";

/** Where an operation says how it can be ended, for as long as it lasts. */
export interface OperationRegistry {
  /** Returns what takes the operation out again. An operation that comes too late is ended at once. */
  add(end: (reason: TinkexError) => void): () => void;
}

/** The operations of a service client that have not settled, so that closing it can end them. */
export class LiveOperations implements OperationRegistry {
  readonly #enders = new Set<(reason: TinkexError) => void>();
  #ended: TinkexError | undefined;

  add(end: (reason: TinkexError) => void): () => void {
    if (this.#ended !== undefined) {
      end(this.#ended);
      return () => {};
    }
    this.#enders.add(end);
    return () => this.#enders.delete(end);
  }

  /** Ends every operation, and those still to come, with `reason`. */
  endAll(reason: TinkexError): void {
    this.#ended ??= reason;
    for (const end of [...this.#enders]) end(reason);
    this.#enders.clear();
  }

  get size(): number {
    return this.#enders.size;
  }
}
