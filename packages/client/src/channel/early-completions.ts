import type { FutureCompletion } from "@tinkex/types";

/** A completion that nobody waited for when it came. */
interface EarlyCompletion {
  readonly completion: FutureCompletion;
  /** Number of the first submission that began after it came, which it therefore cannot be of. */
  readonly before: number;
}

/**
 * Completions that come before the ticket of their request: the service may finish a sample while its ticket is still on the way.
 * Kept for as long as a submission is under way that it may belong to, so that those of samples that were given up do not pile up.
 */
export class EarlyCompletions {
  /** Numbers of the submissions under way, ascending. */
  readonly #underWay = new Set<number>();
  /** In the order in which they came. */
  readonly #kept = new Map<string, EarlyCompletion>();
  #next = 0;

  /** Completions that are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Notes a submission, whose completion may come early until it ends. Returns what notes its end. */
  submitting(): () => void {
    const number = this.#next;
    this.#next += 1;
    this.#underWay.add(number);
    return () => {
      this.#underWay.delete(number);
      this.#forget();
    };
  }

  keep(completion: FutureCompletion): void {
    if (this.#underWay.size === 0) return;
    const { request_id: id } = completion;
    // One that is told of twice goes to the end of the order.
    this.#kept.delete(id);
    this.#kept.set(id, { completion, before: this.#next });
  }

  /** Gives the completion of a request whose ticket has come, if it came first. */
  take(requestId: string): FutureCompletion | undefined {
    const early = this.#kept.get(requestId);
    this.#kept.delete(requestId);
    return early?.completion;
  }

  #forget(): void {
    const [oldest = Number.POSITIVE_INFINITY] = this.#underWay;
    for (const [id, { before }] of this.#kept) {
      if (before > oldest) return;
      this.#kept.delete(id);
    }
  }
}
