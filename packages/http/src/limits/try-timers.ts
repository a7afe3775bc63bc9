import { startTimer } from "@tinkex/base";
import type { TimedOut } from "../errors/try-outcome.js";
import type { TryTimeouts } from "../operations/policy.js";

/** Slowest upload that still counts as progress: 128 KiB a second. A big body gets so much more than the server's own time. */
const MIN_UPLOAD_BYTES_PER_MS = (128 * 1024) / 1000;

/** Watches the limits of one try. */
export class TryTimers {
  readonly #expire: (outcome: TimedOut) => void;
  readonly #silenceMs: number;
  readonly #stopTotal: (() => void) | undefined;
  #stopCurrent: () => void;
  #isSilent = true;

  /** @param sentBytes - size of the request's body; a big one may take its time */
  constructor(timeouts: TryTimeouts, sentBytes: number, expire: (outcome: TimedOut) => void) {
    this.#expire = (outcome) => {
      // Whoever carries the request may not tell when it is over.
      this.stop();
      expire(outcome);
    };
    this.#silenceMs = timeouts.silenceMs;
    const uploadMs = Math.floor(sentBytes / MIN_UPLOAD_BYTES_PER_MS);
    const headersMs = timeouts.headersMs + uploadMs;
    this.#stopCurrent = startTimer(headersMs, () =>
      this.#expire({ kind: "timed_out", waitingFor: "the status line", limitMs: headersMs }),
    );
    if (timeouts.totalMs === undefined) return;
    const totalMs = timeouts.totalMs + uploadMs;
    this.#stopTotal = startTimer(totalMs, () =>
      this.#expire({ kind: "timed_out", waitingFor: "the whole answer", limitMs: totalMs }),
    );
  }

  /**
   * Watches for silence from now on: the status line has come. One timer per spell of silence, not one per piece: expires
   * between one and two spells after the last piece.
   */
  watchSilence(): void {
    this.#stopCurrent();
    this.#isSilent = true;
    this.#stopCurrent = startTimer(this.#silenceMs, () => {
      if (this.#isSilent) {
        this.#expire({ kind: "timed_out", waitingFor: "the rest of the body", limitMs: this.#silenceMs });
      } else {
        this.watchSilence();
      }
    });
  }

  /** Notes that a piece of the body has come. */
  heard(): void {
    this.#isSilent = false;
  }

  stop(): void {
    this.#stopCurrent();
    this.#stopTotal?.();
  }
}
