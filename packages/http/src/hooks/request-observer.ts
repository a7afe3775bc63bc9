import { type Clock, isSilent, type Logger, TinkexError } from "@tinkex/base";
import { describeOutcome } from "../errors/network-error.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import type { WireRequest } from "../request/wire-request.js";
import { notify, type TransportHooks } from "./transport-hooks.js";

/** Those who may want to hear of requests. */
export interface Listeners {
  readonly hooks: TransportHooks;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Makes the observer of a transport's requests, or none when nobody would hear of them: then they cost nothing. */
export function requestObserver(listeners: Listeners): RequestObserver | undefined {
  const { hooks, logger } = listeners;
  const isUnheard = hooks.onRequest === undefined && hooks.onResponse === undefined && isSilent(logger.debug);
  return isUnheard ? undefined : new RequestObserver(listeners);
}

/** Tells the hooks and the debug log of every request and its end. */
export class RequestObserver {
  readonly #listeners: Listeners;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Runs the exchange of one request, and tells of its beginning and its end. */
  async observe(
    operation: string,
    request: WireRequest,
    attempt: number,
    exchange: () => Promise<TryOutcome>,
  ): Promise<TryOutcome> {
    const { hooks, logger, clock } = this.#listeners;
    const { method, origin, path, body } = request;
    const url = origin + withoutQuery(path);
    const event = { operation, method, url, attempt, byteLength: body?.byteLength ?? 0 };
    const startedAt = clock.monotonic();
    notify(hooks, "onRequest", event);
    const tellEnd = (outcome: string, answer: Answer | undefined): void => {
      const durationMs = clock.monotonic() - startedAt;
      const answerByteLength = answer?.body.byteLength ?? 0;
      const status = answer?.status;
      notify(hooks, "onResponse", { ...event, status, outcome, answerByteLength, durationMs });
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
