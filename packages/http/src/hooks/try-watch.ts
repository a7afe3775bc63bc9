import { type Clock, isSilent, type Logger, TinkexError } from "@tinkex/base";
import { describeOutcome } from "../errors/describe-outcome.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import type { WireRequest } from "../request/wire-request.js";
import { notify, type TransportHooks } from "./transport-hooks.js";

/** Tells the hooks and the debug log of every request and its end; costs nothing when nobody listens. */
export class TryWatch {
  readonly #hooks: TransportHooks;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #unwatched: boolean;

  constructor(parts: { readonly hooks: TransportHooks; readonly logger: Logger; readonly clock: Clock }) {
    this.#hooks = parts.hooks;
    this.#logger = parts.logger;
    this.#clock = parts.clock;
    this.#unwatched =
      parts.hooks.onRequest === undefined &&
      parts.hooks.onResponse === undefined &&
      isSilent(parts.logger.debug);
  }

  /** Runs a try under watch. */
  during(
    operation: string,
    request: WireRequest,
    attempt: number,
    send: () => Promise<TryOutcome>,
  ): Promise<TryOutcome> {
    return this.#unwatched ? send() : this.#watched(operation, request, attempt, send);
  }

  async #watched(
    operation: string,
    request: WireRequest,
    attempt: number,
    send: () => Promise<TryOutcome>,
  ): Promise<TryOutcome> {
    const { method, origin, path, body } = request;
    const url = origin + withoutQuery(path);
    const event = { operation, method, url, attempt, byteLength: body?.byteLength ?? 0 };
    const startedAt = this.#clock.monotonic();
    notify(this.#hooks, "onRequest", event);
    const tellEnd = (outcome: string, answer: Answer | undefined): void => {
      const durationMs = this.#clock.monotonic() - startedAt;
      const answerByteLength = answer?.body.byteLength ?? 0;
      const status = answer?.status;
      notify(this.#hooks, "onResponse", { ...event, status, outcome, answerByteLength, durationMs });
      this.#logger.debug(`${method} ${url}: ${outcome}`, { attempt, durationMs, answerByteLength });
    };
    let result: TryOutcome;
    try {
      result = await send();
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
