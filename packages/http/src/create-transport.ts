import { randomUUID } from "node:crypto";
import { type Clock, describeValue, type Logger, systemClock, ValidationError } from "@tinkex/base";
import { checkApiKey } from "./auth/api-key.js";
import { checkedSource } from "./auth/checked-source.js";
import type { CredentialSource } from "./auth/credential-command.js";
import { checkTokenLife, isToken } from "./auth/token-life.js";
import { ACCEPTED_ENCODINGS } from "./body/decode-body.js";
import { checkOptions } from "./check-options.js";
import { consoleLogger } from "./hooks/console-logger.js";
import { secretsIn } from "./hooks/secrets.js";
import { POOL_LIMITS } from "./operations/policy.js";
import { isLoopback, resolveBaseUrl } from "./request/base-url.js";
import { headerOf, isHeader, setGivenHeaders } from "./request/header-list.js";
import { platformHeaders } from "./request/platform-headers.js";
import { DEFAULT_CONNECTIONS } from "./send/connection-options.js";
import { FetchSender } from "./send/fetch-sender.js";
import { proxyFor, shownProxy } from "./send/proxy.js";
import type { Sender } from "./send/sender.js";
import { UndiciSender } from "./send/undici-sender.js";
import type { TinkexTransport } from "./tinkex-transport.js";
import { Transport } from "./transport.js";
import type { TransportOptions } from "./transport-options.js";
import { COMPATIBLE_SDK_VERSION, VERSION } from "./version.js";

/**
 * Makes the transport that the client sends everything through. Nothing is sent, and undici not loaded, before the
 * first call.
 *
 * @throws ValidationError for an option that cannot work; CredentialError for a token that names no end
 */
export function createTransport(options: TransportOptions = {}): TinkexTransport {
  checkOptions(options);
  const baseUrl = resolveBaseUrl(options.baseUrl);
  const { credential, clock = systemClock } = options;
  const apiKey = credential === undefined ? checkApiKey(options.apiKey, baseUrl) : undefined;
  const headers: string[] = [];
  setGivenHeaders(headers, {
    "user-agent": options.userAgent ?? `Tinkex/JS ${VERSION}`,
    accept: "application/json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    ...platformHeaders(process, options.sdkVersion ?? COMPATIBLE_SDK_VERSION),
    ...(apiKey === undefined || isToken(apiKey) ? {} : { "x-api-key": apiKey }),
  });
  setGivenHeaders(headers, options.defaultHeaders);
  // A token is signed with for each request, since it may end between two of them. A header that the user gives wins.
  const token =
    apiKey === undefined || !isToken(apiKey) || headerOf(headers, "x-api-key") !== undefined
      ? undefined
      : tokenSource(apiKey, baseUrl, clock);
  const logger = options.logger ?? consoleLogger("warn");
  const hasCredential = credential !== undefined || token !== undefined || secretsIn(headers).length > 0;
  if (hasCredential) warnOfPlainHttp(baseUrl, logger);
  return new Transport({
    baseUrl,
    proxy: proxyOnTheWay(options, baseUrl),
    headers,
    credential: credential === undefined ? token : checkedSource(credential, baseUrl, clock),
    sender: makeSender(options),
    clock,
    random: options.random ?? Math.random,
    logger,
    hooks: options.hooks ?? {},
    newIdempotencyKey:
      options.newIdempotencyKey === undefined ? randomUUID : checkedKeys(options.newIdempotencyKey),
    poolLimits: { ...POOL_LIMITS, ...options.poolLimits },
    retry: options.retry ?? {},
    firstContactRetries: options.firstContactRetries ?? Number.POSITIVE_INFINITY,
  });
}

function warnOfPlainHttp(baseUrl: string, logger: Logger): void {
  if (!baseUrl.startsWith("http:") || isLoopback(baseUrl)) return;
  logger.warn(
    `the API key goes to ${baseUrl} unencrypted, and whoever is on the way can read it; use https:// (TINKER_BASE_URL)`,
  );
}

/** A token that is refused once it has ended. One that names no end is refused now. */
function tokenSource(token: string, baseUrl: string, clock: Clock): CredentialSource {
  const check = (nowMs: number): void => checkTokenLife(token, nowMs, baseUrl, "apiKey or TINKER_API_KEY");
  check(Number.NEGATIVE_INFINITY);
  return () => {
    check(clock.now());
    return token;
  };
}

/** Keys of the user's making, each of which must be fit for a header. */
function checkedKeys(newKey: () => unknown): () => string {
  return () => {
    const key = newKey();
    if (typeof key === "string" && key !== "" && isHeader("x-idempotency-key", key)) return key;
    throw new ValidationError(
      `newIdempotencyKey must give a string of visible characters that a header may carry, got ${describeValue(key)}`,
      { path: ["newIdempotencyKey"] },
    );
  };
}

/** The proxy that our own connections go through, for messages. */
function proxyOnTheWay({ proxy, dispatcher, fetch }: TransportOptions, baseUrl: string): string | undefined {
  if (proxy === undefined || dispatcher !== undefined || fetch !== undefined) return undefined;
  const address = proxyFor(baseUrl, proxy);
  return address === undefined ? undefined : shownProxy(address);
}

function makeSender(options: TransportOptions): Sender {
  if (options.fetch !== undefined) return new FetchSender(options.fetch);
  return new UndiciSender({
    connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECTIONS.connectTimeoutMs,
    keepAliveMs: options.keepAliveMs ?? DEFAULT_CONNECTIONS.keepAliveMs,
    ca: options.ca,
    http2: options.http2 ?? false,
    proxy: options.proxy ?? {},
    dispatcher: options.dispatcher,
  });
}
