import type { Dispatcher } from "undici";
import { joinChunks } from "./join-chunks.js";
import { isStaleConnection } from "./stale-connection.js";
import { startTimer } from "./start-timer.js";
import type { TimedOut, TryOutcome } from "./try-outcome.js";
import { uploadAllowanceMs } from "./try-timeouts.js";
import type { WireRequest } from "./wire-request.js";

/** Most bytes of an error answer that are read; what comes after says nothing more. */
const MOST_ERROR_BYTES = 1024 * 1024;

/** How undici is told to drop a request; seen by nobody, for the outcome is already known. */
const DROPPED = new Error("dropped");

/**
 * Receives one answer from undici, body and all. Used instead of `undici.request` because that makes a stream and an
 * abort controller per request and cannot be left before a connection stands.
 */
export class UndiciTry implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  #settle: ((outcome: TryOutcome) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #stopTimer: () => void;
  readonly #stopTotalTimer: () => void;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  readonly #chunks: Uint8Array[] = [];
  #byteLength = 0;
  #silent = true;

  constructor(request: WireRequest, settle: (outcome: TryOutcome) => void) {
    this.#request = request;
    this.#settle = settle;
    const uploadMs = uploadAllowanceMs(request.body?.byteLength ?? 0);
    const { headersMs, totalMs } = request.timeouts;
    this.#stopTimer = this.#limit("the status line", headersMs + uploadMs);
    this.#stopTotalTimer =
      totalMs === undefined ? () => {} : this.#limit("the whole answer", totalMs + uploadMs);
  }

  /** Leaves the request at once; nothing is settled any more. */
  drop(): void {
    this.#release();
    this.#controller?.abort(DROPPED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settle === undefined) controller.abort(DROPPED);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // A note on the way, such as 103; the answer is still to come.
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#stopTimer();
    this.#watchSilence();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#silent = false;
    // undici's chunks are views of a buffer it does not use again.
    this.#chunks.push(chunk);
    this.#byteLength += chunk.byteLength;
    if (this.#status >= 300 && this.#byteLength > MOST_ERROR_BYTES) {
      this.#end(this.#answer());
      controller.abort(DROPPED);
    }
  }

  onResponseEnd(): void {
    this.#end(this.#answer());
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#end({ kind: "broken", cause, staleConnection: this.#status === 0 && isStaleConnection(cause) });
  }

  #answer(): TryOutcome {
    const body = joinChunks(this.#chunks, this.#byteLength);
    return { kind: "answer", status: this.#status, headers: this.#headers, body };
  }

  #limit(waitingFor: TimedOut["waitingFor"], limitMs: number): () => void {
    return startTimer(limitMs, () => {
      const controller = this.#controller;
      this.#end({ kind: "timed_out", waitingFor: controller ? waitingFor : "a connection", limitMs });
      controller?.abort(DROPPED);
    });
  }

  /** One timer per spell of silence, not one per chunk. */
  #watchSilence(): void {
    const { silenceMs } = this.#request.timeouts;
    this.#stopTimer = startTimer(silenceMs, () => {
      if (this.#silent) {
        this.#end({ kind: "timed_out", waitingFor: "the rest of the body", limitMs: silenceMs });
        this.#controller?.abort(DROPPED);
      } else {
        this.#silent = true;
        this.#watchSilence();
      }
    });
  }

  #end(outcome: TryOutcome): void {
    const settle = this.#settle;
    this.#release();
    settle?.(outcome);
  }

  #release(): void {
    this.#settle = undefined;
    this.#stopTimer();
    this.#stopTotalTimer();
  }
}

/** A header sent more than once becomes one line. */
function joinHeaders(
  headers: Record<string, string | string[] | undefined>,
): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
