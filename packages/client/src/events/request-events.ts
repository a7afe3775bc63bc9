import type { CallObserver, CallTry, CallTryEnd } from "@tinkex/base";
import type { RequestMessageBase, RequestTrace } from "@tinkex/types";
import { traced } from "./diagnostics-channels.js";
import type { EventHub } from "./event-hub.js";

// Names stand before spreads in each message and span: V8 takes 40 µs for an object of several spreads that a name follows.

/** Publishes the tries, repeats and pauses of one request that somebody hears of. */
export class RequestEvents implements CallObserver {
  readonly #hub: EventHub;
  readonly #endpoint: string;
  readonly #operationId: number | undefined;
  #trace: RequestTrace | undefined;

  /** @param operationId - the call that the request is made for, if it is for one alone */
  constructor(hub: EventHub, endpoint: string, operationId: number | undefined) {
    this.#hub = hub;
    this.#endpoint = endpoint;
    this.#operationId = operationId;
  }

  async aroundTry<T>(
    attempt: CallTry,
    send: (headers?: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T> {
    this.#hub.publish("request", { type: "request.try", ...this.#base(), ...attempt });
    const tracing = this.#hub.tracing("request");
    if (tracing === undefined) return send();
    const trace: RequestTrace = { end: undefined, headers: undefined, ...this.#base(), ...attempt };
    this.#trace = trace;
    return traced(tracing, trace, () => send(trace.headers));
  }

  ended(attempt: CallTry, end: CallTryEnd): void {
    if (this.#trace !== undefined) this.#trace.end = end;
    this.#hub.publish("request", { type: "request.answer", ...this.#base(), ...attempt, ...end });
  }

  retrying(attempts: number, outcome: string, delayMs: number): void {
    this.#hub.publish("request", { type: "request.retry", ...this.#base(), attempts, outcome, delayMs });
  }

  pausing(delayMs: number): void {
    this.#hub.publish("request", { type: "request.pause", ...this.#base(), delayMs });
  }

  #base(): RequestMessageBase {
    const { identity, clock } = this.#hub;
    return { service: identity, atMs: clock.now(), endpoint: this.#endpoint, operationId: this.#operationId };
  }
}
