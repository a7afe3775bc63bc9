import {
  type CallObserver,
  type CallTry,
  type Clock,
  isSilent,
  type Logger,
  TinkexError,
} from "@tinkex/base";
import { describeOutcome } from "../errors/network-error.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import { type WireRequest, withMissingHeaders } from "../request/wire-request.js";
import { notify, type RequestEvent, type TransportHooks } from "./transport-hooks.js";

/** Those who may want to hear of requests. */
export interface Listeners {
  readonly hooks: TransportHooks;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Tells the hooks, the debug log and the observer of a call of every request and its end. */
export class RequestObserver {
  readonly #listeners: Listeners;
  /** Tells whether anybody hears of every request, besides observers of single calls: one that nobody hears of costs nothing. */
  readonly isHeard: boolean;

  constructor(listeners: Listeners) {
    const { hooks, logger } = listeners;
    this.#listeners = listeners;
    this.isHeard = hooks.onRequest !== undefined || hooks.onResponse !== undefined || !isSilent(logger.debug);
  }

  /**
   * Runs the exchange of one request, and tells of its beginning and its end.
   *
   * @param exchange - sends the request as it is given it, which may be with headers of the observer's
   * @param observer - that of the call, in whose context the exchange runs
   */
  observe(
    operation: string,
    request: WireRequest,
    attempt: number,
    exchange: (request: WireRequest) => Promise<TryOutcome>,
    observer?: CallObserver,
  ): Promise<TryOutcome> {
    const { method, origin, path, body } = request;
    const sent = { method, url: origin + withoutQuery(path), attempt, byteLength: body?.byteLength ?? 0 };
    const run = (headers?: Readonly<Record<string, string>>): Promise<TryOutcome> => {
      const send = (): Promise<TryOutcome> => exchange(withMissingHeaders(request, headers));
      return this.#observe({ operation, ...sent }, send, observer, sent);
    };
    return observer === undefined ? run() : observer.aroundTry(sent, run);
  }

  async #observe(
    event: RequestEvent,
    exchange: () => Promise<TryOutcome>,
    observer: CallObserver | undefined,
    sent: CallTry,
  ): Promise<TryOutcome> {
    const { hooks, logger, clock } = this.#listeners;
    const { method, url, attempt } = event;
    const startedAt = clock.monotonic();
    notify(hooks, "onRequest", event);
    const tellEnd = (outcome: string, answer: Answer | undefined): void => {
      const durationMs = clock.monotonic() - startedAt;
      const answerByteLength = answer?.body.byteLength ?? 0;
      const end = { status: answer?.status, outcome, answerByteLength, durationMs };
      observer?.ended(sent, end);
      notify(hooks, "onResponse", { ...event, ...end });
      logger.debug(`${method} ${url}: ${outcome}`, { attempt, durationMs, answerByteLength });
    };
    let result: TryOutcome;
    try {
      result = await exchange();
    } catch (error) {
      tellEnd(TinkexError.isInstance(error) ? error.code : "failed", undefined);
      throw error;
    }
    tellEnd(describeOutcome(result), result.kind === "answer" ? result : undefined);
    return result;
  }
}

function withoutQuery(path: string): string {
  const end = path.indexOf("?");
  return end < 0 ? path : path.slice(0, end);
}
