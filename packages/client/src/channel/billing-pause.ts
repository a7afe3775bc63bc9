import {
  ApiStatusError,
  atMostEvery,
  BACKOFFS,
  backoffMs,
  type Clock,
  type HttpTransport,
  type Logger,
  onAbort,
  type TransportCall,
  type TransportResponse,
} from "@tinkex/base";
import { inDoubt } from "./in-doubt.js";

const LOG_EVERY_MS = 60_000;
/** Without a refusal for this long, the next one is a new incident. */
const FORGET_MS = 300_000;

/** The parts {@link withBillingPause} works with. */
export interface BillingPauseOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `pause` waits until the account can pay again, `fail` throws at once. */
  readonly policy: "pause" | "fail";
  /** Longest pause of one incident, in milliseconds; may change when the server's configuration arrives. */
  readonly maxPauseMs: () => number;
  /** Ends every pause. */
  readonly closing: AbortSignal;
  /** Told of a call that fails, of one that goes out again after a pause too. */
  readonly onFailure?: ((call: TransportCall, error: unknown, elapsedMs: number) => void) | undefined;
}

/**
 * A transport that waits while the service answers 402 (the account cannot pay right now), with one log line a minute, and
 * gives up when the incident has lasted too long. All calls share the incident. A call goes out again as it is, and so must have its
 * own idempotency key.
 */
export function withBillingPause(transport: HttpTransport, options: BillingPauseOptions): HttpTransport {
  const { clock, logger, policy, onFailure } = options;
  if (policy === "fail" && onFailure === undefined) return transport;
  let incident: { readonly sinceMs: number; readonly isLineDue: () => boolean; lastMs: number } | undefined;

  const mayPause = (error: ApiStatusError): boolean => {
    const nowMs = clock.monotonic();
    if (incident !== undefined && nowMs - incident.lastMs > FORGET_MS) incident = undefined;
    incident ??= { sinceMs: nowMs, isLineDue: atMostEvery(LOG_EVERY_MS, clock), lastMs: nowMs };
    incident.lastMs = nowMs;
    const pausedMs = nowMs - incident.sinceMs;
    if (pausedMs > options.maxPauseMs()) {
      const seconds = Math.round(pausedMs / 1000);
      logger.error(`the service has refused calls for billing for ${seconds} s, and the job is given up`);
      return false;
    }
    if (incident.isLineDue()) logger.warn(`the job is paused for billing: ${error.message}`);
    return true;
  };

  const pause = async (call: TransportCall): Promise<void> => {
    const signals = [options.closing, call.signal, call.stopSignal];
    const waitMs = backoffMs(BACKOFFS.billing, 0, Math.random);
    call.observer?.pausing(waitMs);
    const ends = new AbortController();
    const leaves = signals.flatMap((each) => {
      if (each === undefined) return [];
      if (each.aborted) ends.abort(each.reason);
      return onAbort(each, (reason) => ends.abort(reason));
    });
    try {
      await clock.sleep(waitMs, ends.signal);
    } finally {
      for (const leave of leaves) leave();
    }
  };

  /** Waits while the account cannot pay, and has the call go out again; throws the error where that is not called for. */
  const again = async (
    call: TransportCall,
    first: unknown,
    elapsedMs: number,
  ): Promise<TransportResponse> => {
    let error = first;
    let callMs = elapsedMs;
    for (let isDoubtful = false; ; ) {
      onFailure?.(call, error, callMs);
      const refused = policy === "pause" && error instanceof ApiStatusError ? error : undefined;
      if (refused?.status !== 402 || !mayPause(refused)) throw isDoubtful ? inDoubt(error) : error;
      isDoubtful ||= refused.mayHaveArrived;
      await pause(call).catch((reason: unknown) => {
        // Nothing is under way in a pause: the call was refused, and ends with that.
        if (call.stopSignal?.aborted) throw isDoubtful ? inDoubt(refused) : refused;
        throw reason;
      });
      const startedAtMs = clock.monotonic();
      try {
        return await transport.call(call);
      } catch (failure) {
        error = failure;
        callMs = clock.monotonic() - startedAtMs;
      }
    }
  };

  return {
    call(call: TransportCall) {
      const startedAtMs = clock.monotonic();
      const failed = (error: unknown): Promise<TransportResponse> =>
        again(call, error, clock.monotonic() - startedAtMs);
      try {
        // A transport of the caller's may throw at once, or give what is no promise of the platform.
        return Promise.resolve(transport.call(call)).catch(failed);
      } catch (error) {
        return failed(error);
      }
    },
    close: () => transport.close(),
  };
}
