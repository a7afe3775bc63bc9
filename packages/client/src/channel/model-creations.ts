import { unloadModels } from "../session/finish-session.js";
import type { Session } from "../session/session.js";

/** Longest time that closing waits for models to be made and freed, in milliseconds. */
const MAX_FLUSH_MS = 5_000;

/** A creation that the service has been asked for. */
export interface Creation {
  /** Tells whether nobody wants the model any more. */
  readonly signal: AbortSignal;
  /** Gives the model's id, though nobody wants the model any more; rejects where none was made. */
  madeAfterAll(): Promise<string>;
}

/** The creations of a session's models that are under way. A model that was given up meanwhile is freed once it is made. */
export class ModelCreations {
  readonly #session: Session;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Aborts when nobody waits any more for models that were given up. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Sees to a creation, until its model has an owner or is freed. @param made - settles when it does for its caller */
  watch(made: Promise<unknown>, creation: Creation): void {
    const watched = this.#free(made, creation).finally(() => this.#underWay.delete(watched));
    this.#underWay.add(watched);
  }

  /** Waits until what was given up is freed, for some seconds at most. Never rejects. */
  async flush(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const { clock } = this.#session.environment;
    const over = new AbortController();
    // Polls alone do not keep the process alive, which ends before the models are freed then.
    const limit = clock.sleep(MAX_FLUSH_MS, over.signal).catch(() => {});
    await Promise.race([Promise.all(this.#underWay), limit]);
    over.abort();
  }

  /** Waits no longer for any model. */
  end(): void {
    this.#stop.abort();
  }

  async #free(made: Promise<unknown>, { signal, madeAfterAll }: Creation): Promise<void> {
    try {
      await made;
    } catch {
      // One that was not made need not be freed.
      const id = signal.aborted ? await madeAfterAll().catch(() => undefined) : undefined;
      if (id !== undefined) await unloadModels(this.#session, [id]);
    }
  }
}
