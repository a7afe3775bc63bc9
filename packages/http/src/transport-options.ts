import type { Clock, Logger } from "@tinkex/base";
import type { CredentialSource } from "./auth/credential-command.js";
import type { TransportHooks } from "./hooks/transport-hooks.js";
import type { PoolName } from "./operations/policy.js";
import type { RetryOptions } from "./retry/retry-policy.js";
import type { ProxySettings } from "./send/proxy.js";

/** A dispatcher of undici as far as we need it; its own type would tie users to one major. */
export interface DispatcherLike {
  dispatch(options: object, handler: object): boolean;
}

/** Options of {@link createTransport}. */
export interface TransportOptions {
  /** Base URL of the API, path prefix included. @defaultValue the hosted service */
  readonly baseUrl?: string | undefined;
  /** Sent as `X-API-Key`. Needed unless the base URL is on this machine. */
  readonly apiKey?: string | undefined;
  /**
   * Gives the key or token instead of `apiKey`, asked for every try; `credentialCommand` makes one from a shell command.
   */
  readonly credential?: CredentialSource | undefined;
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
  /** Time for which an unused connection is kept, in milliseconds. @defaultValue 30000 */
  readonly keepAliveMs?: number | undefined;
  /**
   * Most repeats of a call while the server has never answered and no connection comes about, so that a wrong address
   * is told soon. @defaultValue as the operation's own policy, which may take minutes
   */
  readonly firstContactRetries?: number | undefined;
  /** Limits and pauses of repeats, in place of those of the operations' own policies. @defaultValue each policy's own */
  readonly retry?: RetryOptions | undefined;
  /** Most requests under way per kind of traffic. @defaultValue {@link POOL_LIMITS} */
  readonly poolLimits?: Partial<Readonly<Record<PoolName, number>>> | undefined;
  /** Told of every request, answer and repeat. */
  readonly hooks?: TransportHooks | undefined;
  /** Proxies to go through; `proxyFromEnvironment` reads the usual variables. @defaultValue none */
  readonly proxy?: ProxySettings | undefined;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string | readonly string[] | undefined;
  /** Speak HTTP/2 where the server offers it over TLS. @defaultValue false */
  readonly http2?: boolean | undefined;
  /** A dispatcher of undici, of any major, that carries everything instead of our own connections. Not closed by us. */
  readonly dispatcher?: DispatcherLike | undefined;
  /** A `fetch` that carries everything instead of undici. */
  readonly fetch?: typeof fetch | undefined;
}
