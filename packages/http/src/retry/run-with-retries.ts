import type { Clock } from "@tinkex/base";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import { backoffDelayMs } from "./backoff-delay.js";
import type { Verdict } from "./classify-outcome.js";
import type { RetryPace } from "./retry-pace.js";
import type { RetryPolicy } from "./retry-policy.js";

/** One failed try and the pause after it; none when a kept connection had died and the request goes out again at once. */
export interface Retry {
  readonly outcome: TryOutcome;
  /** Tries made so far. */
  readonly attempts: number;
  readonly delayMs: number;
  /** The pause the service asked for, which may be longer, in milliseconds. */
  readonly askedMs: number | undefined;
}

/** What the loop asks its surroundings. */
export interface RetryLoop {
  /** Sends once; told which try it is, from 1, and how many counted repeats came before. */
  readonly send: (attempt: number, retries: number) => Promise<TryOutcome>;
  readonly classify: (outcome: TryOutcome) => Verdict;
  readonly policy: () => RetryPolicy;
  /** Whether the request may go out once more after this outcome; the policy decides about when. */
  readonly repeatable: () => boolean;
  readonly scope: CallScope;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pace: RetryPace;
  readonly onRetry: (retry: Retry) => void;
}

/** How the last try ended, and how many there were. */
export interface LastTry {
  readonly outcome: TryOutcome;
  readonly verdict: Verdict;
  readonly attempts: number;
}

/** Sends until there is an answer to keep, the policy is used up, or the call is over. */
export async function runWithRetries(loop: RetryLoop): Promise<LastTry> {
  const startedAt = loop.clock.monotonic();
  let freeRepeats = 1;
  let retries = 0;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await loop.send(attempts, retries);
    // A kept connection that had died is nobody's failure: the first request to notice goes out again at once.
    if (outcome.kind === "broken" && outcome.staleConnection && freeRepeats > 0 && loop.repeatable()) {
      freeRepeats -= 1;
      loop.onRetry({ outcome, attempts, delayMs: 0, askedMs: undefined });
      continue;
    }
    const verdict = loop.classify(outcome);
    if (verdict.kind === "success" || !verdict.retry || !loop.repeatable())
      return { outcome, verdict, attempts };
    const now = loop.clock.monotonic();
    const ownDelayMs = backoffDelayMs({
      policy: loop.policy(),
      retries,
      elapsedMs: now - startedAt,
      hintMs: verdict.hint?.delayMs,
      random: loop.random,
    });
    if (ownDelayMs === undefined) return { outcome, verdict, attempts };
    const delayMs = ownDelayMs + loop.pace.reserve(now);
    loop.onRetry({ outcome, attempts, delayMs, askedMs: verdict.hint?.askedMs });
    await loop.scope.sleep(delayMs);
    retries += 1;
  }
}
