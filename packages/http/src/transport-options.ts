import type { Clock, Logger } from "@tinkex/types";
import type { PoolName } from "./pool-limits.js";
import type { TransportHooks } from "./transport-hooks.js";

/** Options of {@link createTransport}. */
export interface TransportOptions {
  /** Where the API lives, path prefix included. @defaultValue the hosted service */
  readonly baseUrl?: string | undefined;
  /** Sent as `X-API-Key`. Needed unless the base URL is on this machine. */
  readonly apiKey?: string | undefined;
  /** Sent with every request; they win over the transport's own. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /** @defaultValue `Tinkex/JS <version>` */
  readonly userAgent?: string | undefined;
  /** The official SDK version we claim to behave like; servers switch features on by it. */
  readonly sdkVersion?: string | undefined;
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
  /** Numbers in [0, 1), for jitter. @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
  /** @defaultValue warnings and errors, to standard error */
  readonly logger?: Logger | undefined;
  /** @defaultValue random UUIDs */
  readonly newIdempotencyKey?: (() => string) | undefined;
  /** Limit for making a connection, TLS included, in milliseconds. @defaultValue 5000 */
  readonly connectTimeoutMs?: number | undefined;
  /** How long an unused connection is kept, in milliseconds. @defaultValue 30000 */
  readonly keepAliveMs?: number | undefined;
  /**
   * Most repeats of a call while the server has never answered and no connection comes about, so that a wrong address
   * is told soon. @defaultValue as the operation's own policy, which may take minutes
   */
  readonly firstContactRetries?: number | undefined;
  /** Most requests under way per kind of traffic. @defaultValue {@link POOL_LIMITS} */
  readonly poolLimits?: Partial<Readonly<Record<PoolName, number>>> | undefined;
  /** Told of every request, answer and repeat. */
  readonly hooks?: TransportHooks | undefined;
}
