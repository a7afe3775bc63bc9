import {
  ApiStatusError,
  BACKOFFS,
  BackoffCounter,
  type Clock,
  ConnectionError,
  TimeoutError,
  TinkexError,
} from "@tinkex/base";

/** Without any progress for this long, requests count as stuck, in milliseconds. */
const STUCK_MS = 7_200_000;

/** The parts {@link Resampler} works with. */
export interface ResamplerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether a sampler without progress for two hours gives up. */
  readonly detectStuck: boolean;
}

/**
 * Makes samples again that failed without fault of their own: the service has forgotten them, or could not be reached for
 * longer than a request is retried. Each attempt is a new sample to the service. All samples of a client share the watch over
 * progress.
 */
export class Resampler {
  readonly #options: ResamplerOptions;
  #progressedAtMs: number;

  constructor(options: ResamplerOptions) {
    this.#options = options;
    this.#progressedAtMs = options.clock.monotonic();
  }

  /** @throws what `attempt` throws, when another attempt could not help; ConnectionError when nothing has moved for hours */
  async run<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#progressedAtMs > STUCK_MS) this.#progressedAtMs = clock.monotonic();
    const pause = new BackoffCounter(BACKOFFS.resample, this.#options.random);
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await attempt();
        this.#progressedAtMs = clock.monotonic();
        return result;
      } catch (error) {
        if (signal.aborted || !mayHelp(error)) throw error;
        this.#checkStuck(error, attempts);
        await clock.sleep(pause.nextMs(), signal);
      }
    }
  }

  #checkStuck(cause: unknown, attempts: number): void {
    const silentMs = this.#options.clock.monotonic() - this.#progressedAtMs;
    if (!this.#options.detectStuck || silentMs <= STUCK_MS) return;
    throw new ConnectionError(
      `no sample has made progress for ${Math.round(silentMs / 1000)} s: requests are stuck`,
      {
        attempts,
        cause,
      },
    );
  }
}

/** Says whether a new sample may succeed where this one failed. */
function mayHelp(error: unknown): boolean {
  if (error instanceof ApiStatusError && error.status === 410) return true;
  if (error instanceof ApiStatusError && error.status === 402) return false;
  if (error instanceof TimeoutError || error instanceof ConnectionError) return true;
  return error instanceof TinkexError && error.retryable;
}
