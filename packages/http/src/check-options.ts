import {
  checkClock,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkRandom,
  describeValue,
  ValidationError,
} from "@tinkex/base";
import type { PoolName } from "./operations/policy.js";
import type { RetryOptions } from "./retry/retry-policy.js";
import type { TransportOptions } from "./transport-options.js";

const OPTION_NAMES: Readonly<Record<keyof TransportOptions, true>> = {
  baseUrl: true,
  apiKey: true,
  credential: true,
  defaultHeaders: true,
  userAgent: true,
  sdkVersion: true,
  clock: true,
  random: true,
  logger: true,
  newIdempotencyKey: true,
  connectTimeoutMs: true,
  keepAliveMs: true,
  firstContactRetries: true,
  retry: true,
  poolLimits: true,
  hooks: true,
  proxy: true,
  ca: true,
  http2: true,
  dispatcher: true,
  fetch: true,
};

const POOL_NAMES: Readonly<Record<PoolName, true>> = {
  session: true,
  train: true,
  sample: true,
  poll: true,
  telemetry: true,
  rest: true,
  auth: true,
};

const RETRY_FIELDS: Readonly<Record<keyof RetryOptions, true>> = {
  maxRetries: true,
  budgetMs: true,
  firstDelayMs: true,
  maxDelayMs: true,
  jitter: true,
};

/**
 * Looks at what would else show only with the first request, or as a call that never ends.
 *
 * @throws ValidationError that names the option
 */
export function checkOptions(options: TransportOptions): void {
  checkKnownNames(options, OPTION_NAMES, "the options of createTransport");
  for (const name of ["defaultHeaders", "proxy"] as const) {
    if (options[name] !== undefined) checkObject(options[name], name);
  }
  checkClock(options.clock, "clock");
  checkLogger(options.logger, "logger");
  checkRandom(options.random, "random");
  const { connectTimeoutMs, keepAliveMs, firstContactRetries, retry = {}, poolLimits = {} } = options;
  const check = (
    value: number | undefined,
    isGood: (value: number) => boolean,
    what: string,
    ...path: string[]
  ): void => {
    if (value === undefined || (typeof value === "number" && isGood(value))) return;
    throw new ValidationError(`${path.join(".")} must be ${what}, got ${describeValue(value)}`, { path });
  };
  const isDuration = (ms: number): boolean => ms > 0 && Number.isFinite(ms);
  check(connectTimeoutMs, isDuration, "a number of milliseconds above 0", "connectTimeoutMs");
  check(keepAliveMs, isDuration, "a number of milliseconds above 0", "keepAliveMs");
  check(firstContactRetries, (count) => count >= 0, "0 or more", "firstContactRetries");
  checkKnownNames(retry, RETRY_FIELDS, "retry");
  const isWait = (ms: number): boolean => ms >= 0 && Number.isFinite(ms);
  const isCount = (count: number): boolean => count >= 0 && (Number.isInteger(count) || count === Infinity);
  check(retry.maxRetries, isCount, "a whole number of 0 or more, or Infinity", "retry", "maxRetries");
  check(retry.budgetMs, (ms) => ms > 0, "a number of milliseconds above 0", "retry", "budgetMs");
  check(retry.firstDelayMs, isWait, "a number of milliseconds, 0 or more", "retry", "firstDelayMs");
  check(retry.maxDelayMs, isWait, "a number of milliseconds, 0 or more", "retry", "maxDelayMs");
  check(retry.jitter, (share) => share >= 0 && share <= 1, "a share from 0 to 1", "retry", "jitter");
  checkKnownNames(poolLimits, POOL_NAMES, "poolLimits");
  for (const [name, limit] of Object.entries(poolLimits)) {
    check(limit, (count) => count >= 1, "1 or more", "poolLimits", name);
  }
  if (options.dispatcher !== undefined && options.fetch !== undefined) {
    throw new ValidationError("give a dispatcher or a fetch, not both", { path: ["dispatcher"] });
  }
  if (options.dispatcher !== undefined && typeof options.dispatcher.dispatch !== "function") {
    throw new ValidationError(
      "dispatcher must have a method dispatch; give one of undici's, such as a ProxyAgent",
      { path: ["dispatcher"] },
    );
  }
  if (options.credential === undefined) return;
  if (options.apiKey !== undefined) {
    throw new ValidationError("give an apiKey or a credential, not both", { path: ["credential"] });
  }
  if (typeof options.credential !== "function") {
    throw new ValidationError(
      "credential must be a function that gives a key; a key itself goes into apiKey",
      {
        path: ["credential"],
      },
    );
  }
}
