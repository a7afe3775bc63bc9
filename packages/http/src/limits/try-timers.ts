import { startTimer } from "@tinkex/base";
import type { TimedOut } from "../errors/try-outcome.js";
import type { TryTimeouts } from "../operations/try-timeouts.js";

/** Watches the limits of one try. */
export class TryTimers {
  readonly #expire: (outcome: TimedOut) => void;
  readonly #silenceMs: number;
  readonly #stopTotal: () => void;
  #stopCurrent: () => void;
  #silent = true;

  /** @param sentBytes - size of the request's body; a big one may take its time */
  constructor(timeouts: TryTimeouts, sentBytes: number, expire: (outcome: TimedOut) => void) {
    this.#expire = expire;
    this.#silenceMs = timeouts.silenceMs;
    const uploadMs = uploadAllowanceMs(sentBytes);
    this.#stopCurrent = this.#limit("the status line", timeouts.headersMs + uploadMs);
    this.#stopTotal =
      timeouts.totalMs === undefined
        ? () => {}
        : this.#limit("the whole answer", timeouts.totalMs + uploadMs);
  }

  /** The status line has come; from now on silence is watched. */
  answerBegun(): void {
    this.#stopCurrent();
    this.#watchSilence();
  }

  /** A piece of the body has come. */
  heard(): void {
    this.#silent = false;
  }

  stop(): void {
    this.#stopCurrent();
    this.#stopTotal();
  }

  #limit(waitingFor: TimedOut["waitingFor"], limitMs: number): () => void {
    return startTimer(limitMs, () => this.#expire({ kind: "timed_out", waitingFor, limitMs }));
  }

  /** One timer per spell of silence, not one per piece: expires between one and two spells after the last piece. */
  #watchSilence(): void {
    this.#silent = true;
    this.#stopCurrent = startTimer(this.#silenceMs, () => {
      if (this.#silent) {
        this.#expire({ kind: "timed_out", waitingFor: "the rest of the body", limitMs: this.#silenceMs });
      } else {
        this.#watchSilence();
      }
    });
  }
}

/** Slowest upload that still counts as progress, in bytes per second. */
const MIN_UPLOAD_BYTES_PER_S = 128 * 1024;

/** The time that sending `byteLength` bytes may take on top of the server's own time, in milliseconds. */
export function uploadAllowanceMs(byteLength: number): number {
  return Math.floor((byteLength / MIN_UPLOAD_BYTES_PER_S) * 1000);
}
