import { RequestRefusal } from "../errors/request-refusal.js";

/** Calls that are remembered. A client repeats one for minutes at most. */
const MAX_CALLS = 1_000;

interface Call<T> {
  readonly fingerprint: string;
  readonly outcome: Promise<T>;
}

/** Calls by the keys under which their clients send them again: each is done once, whose answer was lost as well. */
export class IdempotentCalls<T> {
  readonly #calls = new Map<string, Call<T>>();

  /**
   * Does a call, unless it was done under this key before. One that failed is forgotten, and done again.
   *
   * @param key - absent: the call is done in any case
   * @throws RequestRefusal 409 when the key came with another request; what `work` throws
   */
  async run(key: string | undefined, fingerprint: string, work: () => Promise<T>): Promise<T> {
    if (key === undefined) return work();
    const known = this.#calls.get(key);
    if (known !== undefined) {
      if (known.fingerprint === fingerprint) return known.outcome;
      throw new RequestRefusal(409, "X-Idempotency-Key must be new for another request: it was used before");
    }
    const outcome = work();
    this.#calls.set(key, { fingerprint, outcome });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    try {
      return await outcome;
    } catch (error) {
      this.#calls.delete(key);
      throw error;
    }
  }
}
