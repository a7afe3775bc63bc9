import { systemClock } from "@tinkex/base";
import type { TimedOut } from "../errors/try-outcome.js";
import type { TryTimeouts } from "../operations/policy.js";

/** Slowest upload that still counts as progress: 128 KiB a second. A big body gets so much more than the server's own time. */
const MIN_UPLOAD_BYTES_PER_MS = (128 * 1024) / 1000;

/** Longest delay that Node's timers keep, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Watches the limits of one try, all of them with one timer: most tries end long before any of their limits. */
export class TryTimers {
  readonly #expire: (outcome: TimedOut) => void;
  readonly #silenceMs: number;
  readonly #headersMs: number;
  readonly #totalMs: number;
  readonly #isBackground: boolean;
  readonly #beganAtMs = systemClock.monotonic();
  /** Beginning of the spell in which a piece of the body must come; `undefined` until the status line has come. */
  #spellBeganAtMs: number | undefined;
  #wakesAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Says that no piece of the body has come in this spell; whoever receives one notes it here. */
  isSilent = true;

  /**
   * @param sentBytes - size of the request's body; a big one may take its time
   * @param isBackground - keep no process alive
   */
  constructor(
    { headersMs, silenceMs, totalMs = Number.POSITIVE_INFINITY }: TryTimeouts,
    sentBytes: number,
    expire: (outcome: TimedOut) => void,
    isBackground = false,
  ) {
    this.#expire = expire;
    this.#isBackground = isBackground;
    this.#silenceMs = silenceMs;
    const uploadMs = Math.floor(sentBytes / MIN_UPLOAD_BYTES_PER_MS);
    this.#headersMs = headersMs + uploadMs;
    this.#totalMs = totalMs + uploadMs;
    this.#wakeIn(Math.min(this.#headersMs, this.#totalMs), this.#beganAtMs);
  }

  /** Watches for silence from now on: the status line has come. Expires between one and two spells after the last piece. */
  watchSilence(): void {
    const nowMs = systemClock.monotonic();
    this.isSilent = true;
    this.#spellBeganAtMs = nowMs;
    // A timer that wakes before the spell is over looks then how much of it is left.
    if (nowMs + this.#silenceMs < this.#wakesAtMs) this.#wakeIn(this.#silenceMs, nowMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wakeIn(ms: number, nowMs: number): void {
    clearTimeout(this.#timer);
    this.#wakesAtMs = nowMs + ms;
    // A timer that wakes too early looks how much of its limit is left.
    const timer = setTimeout(() => this.#wake(), Math.min(ms, MAX_TIMER_MS));
    // Browsers have plain numbers here, and no process to keep alive.
    if (this.#isBackground && typeof timer === "object") timer.unref();
    this.#timer = timer;
  }

  /** Ends the try when one of its limits has run out, or sleeps until the next one. */
  #wake(): void {
    const nowMs = systemClock.monotonic();
    const totalLeftMs = this.#beganAtMs + this.#totalMs - nowMs;
    const isBody = this.#spellBeganAtMs !== undefined;
    if (totalLeftMs < 1 && (isBody || this.#totalMs < this.#headersMs)) {
      this.#end("the whole answer", this.#totalMs);
      return;
    }
    let leftMs =
      (this.#spellBeganAtMs ?? this.#beganAtMs) + (isBody ? this.#silenceMs : this.#headersMs) - nowMs;
    if (leftMs < 1 && isBody && !this.isSilent) {
      this.isSilent = true;
      this.#spellBeganAtMs = nowMs;
      leftMs = this.#silenceMs;
    }
    if (leftMs >= 1) this.#wakeIn(Math.min(leftMs, totalLeftMs), nowMs);
    else if (isBody) this.#end("the rest of the body", this.#silenceMs);
    else this.#end("the status line", this.#headersMs);
  }

  #end(waitingFor: TimedOut["waitingFor"], limitMs: number): void {
    this.#expire({ kind: "timed_out", waitingFor, limitMs });
  }
}
