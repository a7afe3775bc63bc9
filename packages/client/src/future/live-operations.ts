import type { TinkexError } from "@tinkex/types";

/** The operations of a service client that have not settled, so that closing it can end them. */
export class LiveOperations {
  readonly #enders = new Set<(reason: TinkexError) => void>();
  #ended: TinkexError | undefined;

  /** Adds an operation by what ends it. Returns what takes it out again. Ends it at once when all were ended before. */
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
