import {
  type Clock,
  type HttpTransport,
  type Logger,
  shieldedLogger,
  systemClock,
  type Tokenizer,
} from "@tinkex/base";
import {
  COMPATIBLE_SDK_VERSION,
  type Compress,
  consoleLogger,
  createTransport,
  isLoopback,
  type PoolName,
  type ProxySettings,
  proxyFromEnvironment,
  resolveBaseUrl,
  type TinkexTransport,
  zstdCompressor,
} from "@tinkex/http";
import { ENDPOINTS, type JsonObject, type TelemetryReporter } from "@tinkex/types";
import { BodyMemory } from "@tinkex/wire";
import { resolveCredentials } from "../auth/credentials.js";
import type { TokenizerLoader } from "../session/model-tokenizer.js";
import type { WireChoice } from "../session/server-generation.js";
import { checkServiceOptions } from "./check-service-options.js";
import { connectionKey } from "./connection-key.js";
import type { PostNow } from "./post-now.js";
import type { PoolOptions, ServiceClientOptions } from "./service-client-options.js";
import { SharedTransport } from "./shared-transport.js";

/** The options with all defaults filled in, checked once. */
export interface ClientSettings {
  /** Address that requests go to; `undefined` with a transport of the caller's. */
  readonly baseUrl: string | undefined;
  readonly transport: HttpTransport;
  /** For downloads from other hosts. */
  readonly proxy: ProxySettings;
  /** Address and key, by which the clients of a process share the limits on samples; `undefined` when they are not known. */
  readonly account: string | undefined;
  /** Makes the transport sign with short-lived tokens, for services that want them; nothing for a transport of the caller's. */
  readonly useTokens: () => void;
  /** Makes a server's words fit for messages and log lines; a transport of the caller's may not know how. */
  readonly shownText: ((text: string) => string) | undefined;
  readonly compress: Compress | undefined;
  /** For the bodies of training requests. None with a transport or a fetch of the caller's, which may keep what it is given. */
  readonly bodyMemory: BodyMemory | undefined;
  readonly clock: Clock;
  /** Neither the transport nor the clock is the caller's, who could see the signals of operations. */
  readonly hidesSignals: boolean;
  readonly random: () => number;
  readonly logger: Logger;
  readonly sdkVersion: string;
  readonly wire: WireChoice;
  readonly billing: "pause" | "fail";
  readonly projectId: string | undefined;
  readonly displayName: string | undefined;
  readonly userMetadata: JsonObject;
  readonly tags: readonly string[];
  /** Most submissions of samples on their way, if the caller says so. */
  readonly maxSamples: number | undefined;
  /** Milliseconds without one good answer to a poll after which its result is given up. */
  readonly maxFailingMs: number;
  /** Limit of a call that has none of its own, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Environment with the settings of the Hugging Face hub; `undefined` for that of the process. */
  readonly hubEnv: Readonly<Record<string, string | undefined>> | undefined;
  /** The caller's own, which downloads tokenizers too. */
  readonly fetch: typeof fetch | undefined;
  readonly tokenizer: Tokenizer | TokenizerLoader | undefined;
  readonly telemetry: TelemetryReporter | boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address of telemetry and its headers, for a process that dies; `undefined` where a proxy or a token stands between. */
  readonly direct: () => Pick<PostNow, "url" | "headers"> | undefined;
}

/** Most repeats while no server has answered: most often the address is wrong, and some seconds tell. */
const MAX_RETRIES_BEFORE_CONTACT = 2;

/** Longest time without one good answer while the service answers polls with errors or pages, in milliseconds. */
const POLL_PATIENCE_MS = 900_000;

/**
 * Fills in what the options leave out. Nothing is sent.
 *
 * @throws ValidationError for an option that cannot work
 */
export function resolveSettings(options: ServiceClientOptions): ClientSettings {
  checkServiceOptions(options);
  const env = options.env ?? process.env;
  const fromEnv = (name: string): string | undefined => env[name]?.trim() || undefined;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const logger = options.logger === undefined ? consoleLogger("warn") : shieldedLogger(options.logger);
  const sdkVersion = options.sdkVersion ?? COMPATIBLE_SDK_VERSION;
  const baseUrl = resolveBaseUrl(options.baseUrl ?? fromEnv("TINKER_BASE_URL"));
  const proxy = proxySettings(options.proxy, env);
  let account: string | undefined;
  const ownHeaders = { ...cloudflareHeaders(fromEnv), ...options.headers };
  /** Headers of a request that our own connections do not carry. */
  let directHeaders: Record<string, string> | undefined;
  const makeOwn = (): TinkexTransport => {
    const { apiKey, credential } = options;
    const { from: _, ...credentials } = resolveCredentials({ apiKey, credential, fromEnv, baseUrl });
    // The key of a function or a command is not known before it is asked for.
    if ("apiKey" in credentials) {
      const { apiKey: key } = credentials;
      account = `${baseUrl} ${key ?? ""}`;
      directHeaders = { "content-type": "application/json", ...ownHeaders, ...(key && { "x-api-key": key }) };
    }
    return new SharedTransport(transportKey(options), () =>
      createTransport({
        baseUrl,
        ...credentials,
        defaultHeaders: ownHeaders,
        proxy,
        fetch: options.fetch,
        retry: options.retry,
        poolLimits: givenPools(options.pools),
        hooks: options.hooks,
        sdkVersion,
        clock,
        random,
        logger,
        firstContactRetries: options.retry?.maxRetries === undefined ? MAX_RETRIES_BEFORE_CONTACT : undefined,
      }),
    );
  };
  const transport = options.transport ?? makeOwn();
  const isOwn = options.transport === undefined && options.fetch === undefined;
  return {
    baseUrl: options.transport === undefined ? baseUrl : undefined,
    transport,
    proxy,
    account,
    useTokens: () => {
      directHeaders = undefined;
      if ("useTokens" in transport && typeof transport.useTokens === "function") transport.useTokens();
    },
    shownText: shownTextOf(transport),
    compress: options.compress ?? zstdCompressor(),
    bodyMemory: isOwn ? new BodyMemory() : undefined,
    maxSamples: options.pools?.sample,
    timeoutMs: options.timeoutMs,
    maxFailingMs: options.pollPatienceMs ?? POLL_PATIENCE_MS,
    clock,
    hidesSignals: options.transport === undefined && options.clock === undefined,
    random,
    logger,
    sdkVersion,
    wire: options.wire ?? "auto",
    billing: options.billing ?? "pause",
    projectId: options.projectId ?? fromEnv("TINKER_PROJECT_ID"),
    displayName: options.displayName,
    userMetadata: options.userMetadata ?? {},
    tags: options.tags ?? splitTags(fromEnv("TINKER_TAGS")),
    hubEnv: options.env,
    fetch: options.fetch,
    tokenizer: options.tokenizer,
    telemetry: options.telemetry ?? unaskedTelemetry(options),
    env,
    direct: () =>
      directHeaders !== undefined && isOwn && isDirect(proxy, baseUrl)
        ? { url: `${baseUrl}/api/v1${ENDPOINTS.telemetry.path}`, headers: directHeaders }
        : undefined,
  };
}

/**
 * Keeps telemetry off unless it is asked for, with a transport of the caller's, which may expect no such calls, and with a clock of the
 * caller's: its times mean nothing to the service, and `close()` would wait for the last batch on a clock that may stand still.
 */
function unaskedTelemetry({ transport, clock }: ServiceClientOptions): false | undefined {
  return transport === undefined && clock === undefined ? undefined : false;
}

/** Writes what a transport is made of: the options that it reads, and the environment. */
function transportKey(options: ServiceClientOptions): string | undefined {
  const { env, apiKey, baseUrl, credential, headers, proxy, fetch } = options;
  const { retry, pools, hooks, sdkVersion, clock, random, logger } = options;
  const read = { apiKey, baseUrl, credential, headers, proxy, fetch, retry, pools, hooks };
  return connectionKey({ env, ...read, sdkVersion, clock, random, logger });
}

function shownTextOf(transport: HttpTransport): ClientSettings["shownText"] {
  if (!("shownText" in transport)) return undefined;
  const { shownText } = transport;
  return typeof shownText === "function" ? (text) => String(shownText.call(transport, text)) : undefined;
}

function splitTags(tags: string | undefined): readonly string[] {
  const given = (tags ?? "").split(",").map((tag) => tag.trim());
  return [...new Set(given.filter((tag) => tag !== ""))];
}

/** A size that is `undefined` is not given, and leaves the default. */
function givenPools(pools: PoolOptions = {}): Partial<Record<PoolName, number>> {
  const given: Partial<Record<PoolName, number>> = {};
  for (const name of Object.keys(pools) as PoolName[]) {
    const limit = pools[name];
    if (limit !== undefined) given[name] = limit;
  }
  return given;
}

/** One address is the proxy of both schemes. */
function proxySettings(
  proxy: ServiceClientOptions["proxy"],
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings {
  if (proxy === undefined) return proxyFromEnvironment(env);
  return typeof proxy === "string" ? { httpProxy: proxy, httpsProxy: proxy } : proxy;
}

/** Tells whether a service is gone to without a proxy: there is none, or the service is on this machine. */
function isDirect({ httpProxy, httpsProxy }: ProxySettings, baseUrl: string): boolean {
  return isLoopback(baseUrl) || (httpProxy === undefined && httpsProxy === undefined);
}

/** Credentials of an access proxy in front of the service. */
function cloudflareHeaders(fromEnv: (name: string) => string | undefined): Record<string, string> {
  const id = fromEnv("CLOUDFLARE_ACCESS_CLIENT_ID");
  const secret = fromEnv("CLOUDFLARE_ACCESS_CLIENT_SECRET");
  return {
    ...(id === undefined ? {} : { "CF-Access-Client-Id": id }),
    ...(secret === undefined ? {} : { "CF-Access-Client-Secret": secret }),
  };
}
