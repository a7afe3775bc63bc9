import { TinkexError } from "@tinkex/base";
import type { Dispatcher } from "undici";
import { BodyPieces } from "../body/body-pieces.js";
import type { TimedOut, TryOutcome } from "../errors/try-outcome.js";
import type { CallLifetime, Settle } from "../limits/call-lifetime.js";
import { TryTimers } from "../limits/try-timers.js";
import type { WireRequest } from "../request/wire-request.js";
import type { LeavingHandler } from "./connection-pool.js";
import { isStaleConnection } from "./stale-connection.js";

/** Reason given to undici for dropping a request; seen by nobody, for the outcome is already known. */
const DROPPED = new Error("dropped");

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Receives one answer from undici, body and all. Used instead of `undici.request` because that makes a stream and an
 * abort controller per request and cannot be left before a connection stands.
 */
export class UndiciTry implements LeavingHandler {
  connection: LeavingHandler["connection"];
  isFirst = false;
  isOver = false;
  readonly #timers: TryTimers;
  #settle: Settle<TryOutcome> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #maxAnswerBytes: number;
  #lifetime: CallLifetime | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #body: BodyPieces | undefined;

  /** @param lifetime - told when the bytes begin to leave */
  constructor(request: WireRequest, settle: Settle<TryOutcome>, lifetime: CallLifetime) {
    this.#settle = settle;
    this.#lifetime = lifetime;
    this.#maxAnswerBytes = request.maxAnswerBytes;
    const expire = (outcome: TimedOut): void => {
      this.#end(this.#controller === undefined ? { ...outcome, waitingFor: "a connection" } : outcome);
      this.#leave();
    };
    const { timeouts, body, isBackground } = request;
    this.#timers = new TryTimers(timeouts, body?.byteLength ?? 0, expire, isBackground);
  }

  /** Leaves the request at once; nothing is settled any more. */
  drop(): void {
    if (this.isOver) return;
    this.#end(undefined);
    this.#leave();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isOver) controller.abort(DROPPED);
    else if (this.#lifetime !== undefined) this.#lifetime.isUnderWay = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return; // A note on the way, such as 103; the answer is still to come.
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#body = new BodyPieces(status, this.#maxAnswerBytes);
    this.#timers.watchSilence();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#timers.isSilent = false;
    // undici's chunks are views of a buffer that it does not use again.
    if (this.#body?.add(chunk) !== false) return;
    this.#endWithAnswer();
    controller.abort(DROPPED);
  }

  onResponseEnd(): void {
    this.#endWithAnswer();
    if (this.#headers.connection?.toLowerCase() !== "close") this.connection?.answered();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#end({
      kind: "broken",
      cause,
      isStaleConnection: !this.isFirst && this.#status === 0 && isStaleConnection(cause),
      isUnsent: this.#controller === undefined,
    });
  }

  #leave(): void {
    if (this.#controller === undefined) this.connection?.leave(DROPPED);
    else this.#controller.abort(DROPPED);
  }

  #endWithAnswer(): void {
    const body = this.#body?.join() ?? new Uint8Array(0);
    this.#end({ kind: "answer", status: this.#status, headers: this.#headers, body });
  }

  /** Lets go of whoever waits, of the call and of the answer: the connection keeps this object until its next request. */
  #end(outcome: TryOutcome | undefined): void {
    const settle = this.#settle;
    this.isOver = true;
    this.#settle = undefined;
    this.#lifetime = undefined;
    this.#body = undefined;
    this.#timers.stop();
    if (outcome === undefined) return;
    // An error of our own, about the request's body or the answer's, is no failure of the network.
    if (outcome.kind === "broken" && TinkexError.isInstance(outcome.cause)) settle?.reject(outcome.cause);
    else settle?.resolve(outcome);
  }
}

/** Joins headers that were sent more than once into one line each. Most answers have none, and are given as they are. */
function joinHeaders(headers: RawHeaders): Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== "string") return joined(headers);
  // The loop has seen that all are strings.
  return headers as Readonly<Record<string, string>>;
}

function joined(headers: RawHeaders): Readonly<Record<string, string>> {
  const lines: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) lines[name] = typeof value === "string" ? value : value.join(", ");
  }
  return lines;
}
