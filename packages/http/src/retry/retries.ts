import type { Clock } from "@tinkex/base";
import { canSend } from "../body/streamed-body.js";
import { causeOf, describeOutcome } from "../errors/network-error.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import { RetryWarnings, type WarningParts } from "../hooks/retry-warnings.js";
import type { Job } from "../job.js";
import { extendQuiet } from "../limits/traffic.js";
import type { Operation } from "../operations/operations.js";
import { classifyFailure } from "./classify-outcome.js";
import { mayHaveArrived, noteEarlierTry } from "./earlier-tries.js";
import { type RetryOptions, type RetryPolicy, retryDelayMs, settledPolicy } from "./retry-policy.js";
import { TokenBucket } from "./token-bucket.js";

/** Parts of a transport that decide about its repeats. */
export interface RetryParts extends WarningParts {
  readonly clock: Clock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly retry: RetryOptions;
  readonly firstContactRetries: number;
}

/** Decides about the repeats of all calls of one transport, once a try has failed. */
export class Retries {
  readonly #parts: RetryParts;
  readonly #pace = new TokenBucket();
  readonly #warnings: RetryWarnings;

  constructor(parts: RetryParts) {
    this.#parts = parts;
    this.#warnings = new RetryWarnings(parts);
  }

  /**
   * Gives the milliseconds to wait before a failed call goes out again, and notes and tells of the failed try; `undefined` when
   * the outcome is final.
   *
   * @param hasContact - the service has answered before, whatever it said
   */
  pauseAfter(job: Job, outcome: TryOutcome, hasContact: boolean): number | undefined {
    const { call, operation, lifetime } = job;
    const { clock, random } = this.#parts;
    if (operation.idempotent === "no" || !canSend(call.body)) return undefined;
    // A kept connection that had died is nobody's failure: the first request to notice goes out again at once.
    if (outcome.kind === "broken" && outcome.isStaleConnection && !job.hasRepeatedAtOnce) {
      job.hasRepeatedAtOnce = true;
      return this.#repeatAfter(0, undefined, job, outcome);
    }
    const { canRetry, hint } = classifyFailure(outcome, operation, clock.now(), call.finalStatuses);
    if (!canRetry) return undefined;
    const ownDelayMs = retryDelayMs({
      policy: this.#policy(operation, hasContact),
      retries: job.retries,
      elapsedMs: lifetime.elapsedMs,
      hintMs: hint?.delayMs,
      random,
    });
    if (ownDelayMs === undefined) return undefined;
    job.retries += 1;
    call.onRepeat?.({
      call,
      attempt: job.attempt,
      status: outcome.kind === "answer" ? outcome.status : undefined,
      outcome: describeOutcome(outcome),
      elapsedMs: lifetime.elapsedMs,
    });
    return this.#repeatAfter(ownDelayMs + this.#pace.reserve(clock.monotonic()), hint?.askedMs, job, outcome);
  }

  #repeatAfter(delayMs: number, askedMs: number | undefined, job: Job, outcome: TryOutcome): number {
    const { call, traffic, lifetime, earlierTries, attempt } = job;
    const what = describeOutcome(outcome);
    noteEarlierTry(earlierTries, { what, pauseMs: delayMs, mayHaveArrived: mayHaveArrived(outcome) });
    lifetime.note({ attempt, what, cause: causeOf(outcome) }, earlierTries);
    if (outcome.kind === "answer" && outcome.status === 429 && askedMs !== undefined) {
      extendQuiet(traffic, this.#parts.clock.monotonic(), delayMs);
    }
    call.observer?.retrying(attempt, what, delayMs);
    this.#warnings.tell({ operation: call.operation, attempts: attempt, outcome: what, delayMs }, askedMs);
    return delayMs;
  }

  /** An address that has never answered is given up early: it is probably wrong. */
  #policy({ retry }: Operation, hasContact: boolean): RetryPolicy {
    const policy = settledPolicy(retry, this.#parts.retry);
    if (hasContact) return policy;
    return { ...policy, maxRetries: Math.min(policy.maxRetries, this.#parts.firstContactRetries) };
  }
}
