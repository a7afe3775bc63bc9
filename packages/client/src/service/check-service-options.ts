import {
  checkClock,
  checkFunction,
  checkKnownNames,
  checkLogger,
  checkObject,
  describeKind,
  describeValue,
  ValidationError,
} from "@tinkex/base";
import { POOL_LIMITS, type ProxySettings } from "@tinkex/http";
import { checkHeaders, checkTimeout } from "../inputs/call-options.js";
import type { PoolOptions, ServiceClientOptions } from "./service-client-options.js";

const OPTION_NAMES: Readonly<Record<keyof ServiceClientOptions, true>> = {
  apiKey: true,
  baseUrl: true,
  projectId: true,
  displayName: true,
  userMetadata: true,
  tags: true,
  wire: true,
  billing: true,
  tokenizer: true,
  credential: true,
  compress: true,
  hooks: true,
  retry: true,
  pools: true,
  timeoutMs: true,
  pollPatienceMs: true,
  headers: true,
  fetch: true,
  proxy: true,
  logger: true,
  env: true,
  clock: true,
  random: true,
  sdkVersion: true,
  telemetry: true,
  transport: true,
};

const PROXY_FIELDS: Readonly<Record<keyof ProxySettings, true>> = {
  httpProxy: true,
  httpsProxy: true,
  noProxy: true,
};

/** Values that some options must have. */
const CHOICES = { wire: ["auto", "protobuf", "json"], billing: ["pause", "fail"] } as const;

/** The JavaScript type of options that have a simple one, and its name in messages. */
const TYPES = {
  apiKey: ["string", "a string"],
  baseUrl: ["string", "a string"],
  projectId: ["string", "a string"],
  displayName: ["string", "a string"],
  sdkVersion: ["string", "a string"],
  compress: ["function", "a function"],
  fetch: ["function", "a function such as globalThis.fetch"],
  random: ["function", "a function that gives numbers in [0, 1)"],
  userMetadata: ["object", "an object"],
  hooks: ["object", "an object"],
  env: ["object", "an object"],
  transport: ["object", "an object with call and close, such as createTransport() of @tinkex/http makes"],
} as const satisfies Partial<Record<keyof ServiceClientOptions, readonly [string, string]>>;

/** Options that a transport of the caller's carries out by itself; given beside one they would be ignored. */
const OF_THE_TRANSPORT = [
  "apiKey",
  "credential",
  "baseUrl",
  "headers",
  "hooks",
  "retry",
  "pools",
  "fetch",
  "proxy",
] as const satisfies readonly (keyof ServiceClientOptions)[];

/**
 * Checks the options of a service client before anything is made of them: a misspelt name would be ignored, and a value of another
 * type would show with the first request.
 *
 * @throws ValidationError that names the option
 */
export function checkServiceOptions(options: ServiceClientOptions): void {
  checkKnownNames(options, OPTION_NAMES, "the options of ServiceClient");
  for (const [name, [type, what]] of Object.entries(TYPES) as [
    keyof typeof TYPES,
    readonly [string, string],
  ][]) {
    const value: unknown = options[name];
    if (value === undefined || (typeof value === type && value !== null)) continue;
    throw refusal(name, `must be ${what}, got ${describeKind(value)}`);
  }
  for (const [name, choices] of Object.entries(CHOICES) as [keyof typeof CHOICES, readonly string[]][]) {
    const value: unknown = options[name];
    if (value === undefined || (typeof value === "string" && choices.includes(value))) continue;
    throw refusal(name, `must be one of ${choices.join(", ")}, got ${describeValue(value)}`);
  }
  if (options.tags !== undefined && !isListOfStrings(options.tags)) {
    throw refusal("tags", `must be an array of strings, got ${describeKind(options.tags)}`);
  }
  checkTimeout(options.timeoutMs, "ServiceClient");
  const { pollPatienceMs } = options;
  if (pollPatienceMs !== undefined && !(typeof pollPatienceMs === "number" && pollPatienceMs >= 0)) {
    const got = describeValue(pollPatienceMs);
    throw refusal("pollPatienceMs", `must be a number of milliseconds, 0 or more, got ${got}`);
  }
  checkHeaders(options.headers, "ServiceClient");
  if (options.pools !== undefined) checkPools(options.pools);
  if (options.proxy !== undefined && typeof options.proxy !== "string") {
    checkKnownNames(options.proxy, PROXY_FIELDS, "ServiceClient: proxy");
  }
  checkClock(options.clock, "ServiceClient: clock");
  checkLogger(options.logger, "ServiceClient: logger");
  checkTokenizer(options.tokenizer);
  checkTransport(options.transport);
  checkTelemetry(options.telemetry);
  checkTogether(options);
}

/** Refuses the name of a model, say, which `getTokenizer()` would give back as it is. */
function checkTokenizer(tokenizer: ServiceClientOptions["tokenizer"]): void {
  if (tokenizer === undefined || typeof tokenizer === "function") return;
  checkObject(tokenizer, "ServiceClient: tokenizer", 'await getTokenizer("Qwen/Qwen3-8B")');
}

/** Looks for the methods of a transport, of which the last would be missed only when the client closes. */
function checkTransport(transport: ServiceClientOptions["transport"]): void {
  if (transport === undefined) return;
  checkFunction(transport.call, "ServiceClient: transport.call");
  checkFunction(transport.close, "ServiceClient: transport.close");
}

function checkTelemetry(telemetry: ServiceClientOptions["telemetry"]): void {
  if (telemetry === undefined || typeof telemetry === "boolean") return;
  if (typeof telemetry === "object" && telemetry !== null && typeof telemetry.begin === "function") return;
  throw refusal(
    "telemetry",
    `must be true, false or a reporter such as new ServiceReporter() of @tinkex/telemetry, got ${describeKind(telemetry)}`,
  );
}

function checkPools(pools: PoolOptions): void {
  checkObject(pools, "ServiceClient: pools", "{ train: 8 }");
  checkKnownNames<Readonly<Record<string, unknown>>>({ ...pools }, POOL_NAMES, "ServiceClient: pools");
  for (const [name, limit] of Object.entries(pools)) {
    if (limit === undefined || (typeof limit === "number" && limit >= 1)) continue;
    throw new ValidationError(`ServiceClient: pools.${name} must be 1 or more, got ${describeValue(limit)}`, {
      path: ["pools", name],
    });
  }
}

const POOL_NAMES: Readonly<Record<string, true>> = Object.fromEntries(
  Object.keys(POOL_LIMITS).map((name) => [name, true]),
);

function checkTogether(options: ServiceClientOptions): void {
  if (options.apiKey !== undefined && options.credential !== undefined) {
    throw new ValidationError("give an apiKey or a credential, not both", { path: ["credential"] });
  }
  if (options.fetch !== undefined && options.proxy !== undefined) {
    throw new ValidationError("a proxy beside a fetch would be ignored; give a fetch that goes through it", {
      path: ["proxy"],
    });
  }
  if (options.transport === undefined) return;
  const idle = OF_THE_TRANSPORT.filter((name) => options[name] !== undefined);
  const [first] = idle;
  if (first === undefined) return;
  throw new ValidationError(
    `${idle.join(", ")} beside a transport would be ignored; give ${idle.length === 1 ? "it" : "them"} to createTransport`,
    { path: [first] },
  );
}

function refusal(name: keyof ServiceClientOptions, fault: string): ValidationError {
  return new ValidationError(`ServiceClient: ${name} ${fault}`, { path: [name] });
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}
