import { type Clock, Semaphore } from "@tinkex/base";
import type { PoolName } from "../operations/policy.js";
import type { WireRequest } from "../request/wire-request.js";
import { EdgeRejections } from "../retry/edge-rejections.js";
import { HINT_JITTER } from "../retry/retry-policy.js";
import type { CallLifetime } from "./call-lifetime.js";

/** State that the calls of one kind of traffic share. */
export interface Traffic {
  /** One for each request that may be under way. */
  readonly permits: Semaphore;
  readonly edge: EdgeRejections;
  /**
   * End of the pause that the service asked for, on the monotonic clock. A 429 with a pause concerns every call of that kind of
   * traffic with our key, so those that come later wait too instead of collecting a 429 each.
   */
  quietUntilMs: number;
}

/**
 * Makes the state of every kind of traffic.
 *
 * @param renew - makes connections like those of a request anew
 */
export function trafficOf(
  poolLimits: Readonly<Record<PoolName, number>>,
  renew: (request: WireRequest) => void,
): Readonly<Record<PoolName, Traffic>> {
  const of = (permits: number): Traffic => ({
    permits: new Semaphore(permits),
    edge: new EdgeRejections(renew),
    quietUntilMs: Number.NEGATIVE_INFINITY,
  });
  return {
    session: of(poolLimits.session),
    train: of(poolLimits.train),
    sample: of(poolLimits.sample),
    poll: of(poolLimits.poll),
    telemetry: of(poolLimits.telemetry),
    rest: of(poolLimits.rest),
    auth: of(poolLimits.auth),
  };
}

/** Requests of one kind of traffic at this moment. */
export interface TrafficCount {
  /** Under way. */
  readonly active: number;
  /** Waiting for a permit. */
  readonly queued: number;
}

/** Counts the requests of every kind of traffic. */
export function countTraffic(
  traffic: Readonly<Record<PoolName, Traffic>>,
): Readonly<Record<PoolName, TrafficCount>> {
  const { session, train, sample, poll, telemetry, rest, auth } = traffic;
  const of = ({ permits }: Traffic): TrafficCount => ({ active: permits.taken, queued: permits.waiting });
  return {
    session: of(session),
    train: of(train),
    sample: of(sample),
    poll: of(poll),
    telemetry: of(telemetry),
    rest: of(rest),
    auth: of(auth),
  };
}

/** Notes that the service asked for `delayMs` of quiet at `nowMs` (monotonic). A shorter pause does not end a longer one. */
export function extendQuiet(traffic: Traffic, nowMs: number, delayMs: number): void {
  traffic.quietUntilMs = Math.max(traffic.quietUntilMs, nowMs + delayMs);
}

/** Waits until the pause is over, also when it grows meanwhile. Those who wait do not come back in one moment. */
export async function waitForQuiet(
  traffic: Traffic,
  lifetime: CallLifetime,
  clock: Clock,
  random: () => number,
): Promise<void> {
  for (;;) {
    const waitMs = traffic.quietUntilMs - clock.monotonic();
    if (waitMs <= 0) return;
    await lifetime.sleep(waitMs * (1 + HINT_JITTER * random()));
  }
}
