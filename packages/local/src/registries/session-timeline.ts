import type { Clock } from "@tinkex/base";

/** A piece of work of a session, from when it was asked for until it ended. */
export interface TimelineSpan {
  readonly sessionId: string;
  /** The model whose order it stands in; absent for samples, which run side by side. */
  readonly model?: string | undefined;
  /** Name of its endpoint. */
  readonly name: string;
  readonly submittedAtMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly hasFailed: boolean;
}

/** Spans that are kept, of all sessions together: a server runs for weeks. */
const MAX_SPANS = 32_768;

/** The last that sessions have done, for those who want to look at it. */
export class SessionTimeline {
  readonly #spans: TimelineSpan[] = [];
  /** Place of the oldest span once there are as many as are kept. */
  #oldest = 0;

  add(span: TimelineSpan): void {
    if (this.#spans.length < MAX_SPANS) {
      this.#spans.push(span);
      return;
    }
    this.#spans[this.#oldest] = span;
    this.#oldest = (this.#oldest + 1) % MAX_SPANS;
  }

  /** Spans of a session, in the order in which they ended. */
  of(sessionId: string): TimelineSpan[] {
    const inOrder = [...this.#spans.slice(this.#oldest), ...this.#spans.slice(0, this.#oldest)];
    return inOrder.filter((span) => span.sessionId === sessionId);
  }

  /** Gives `run` as work that is added here when it has ended. */
  follow<T>(
    { sessionId, model, name }: Pick<TimelineSpan, "sessionId" | "model" | "name">,
    clock: Pick<Clock, "now" | "monotonic">,
    run: () => Promise<T>,
  ): () => Promise<T> {
    const now = timesFrom(clock);
    const submittedAtMs = now();
    return async () => {
      const startedAtMs = now();
      let hasFailed = true;
      try {
        const result = await run();
        hasFailed = false;
        return result;
      } finally {
        // Named one by one: V8 gives each object that is spread into another a layout of its own, 250 bytes that stay with it.
        this.add({ sessionId, model, name, submittedAtMs, startedAtMs, endedAtMs: now(), hasFailed });
      }
    };
  }
}

/**
 * Reads the time of day once, and from then on tells it by what has passed since: work takes as long as it took, though somebody set
 * the time of day meanwhile.
 */
export function timesFrom(clock: Pick<Clock, "now" | "monotonic">): () => number {
  const startMs = clock.now();
  const startReading = clock.monotonic();
  return () => startMs + (clock.monotonic() - startReading);
}
