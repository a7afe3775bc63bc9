import {
  type Clock,
  checkKnownNames,
  type HttpTransport,
  type Logger,
  systemClock,
  type Tokenizer,
  ValidationError,
} from "@tinkex/base";
import {
  COMPATIBLE_SDK_VERSION,
  type Compress,
  consoleLogger,
  createTransport,
  proxyFromEnvironment,
  resolveBaseUrl,
  type TinkexTransport,
  zstdCompressor,
} from "@tinkex/http";
import type { JsonObject } from "@tinkex/types";
import { BodyMemory } from "@tinkex/wire";
import type { TokenizerLoader } from "../session/model-tokenizer.js";
import type { WireChoice } from "../session/server-generation.js";
import { resolveCredentials } from "./credentials.js";
import type { ServiceClientOptions } from "./service-client-options.js";

/** The options with all defaults filled in, checked once. */
export interface ClientSettings {
  /** Where requests go; `undefined` with a transport of the caller's. */
  readonly baseUrl: string | undefined;
  readonly transport: HttpTransport;
  /** Makes the transport sign with short-lived tokens, for services that want them; nothing for a transport of the caller's. */
  readonly useTokens: () => void;
  /** Makes a server's words fit for messages and log lines; a transport of the caller's may not know how. */
  readonly shownText: ((text: string) => string) | undefined;
  readonly compress: Compress | undefined;
  /** For the bodies of training requests. None with a transport of the caller's, which may keep the bodies it is given. */
  readonly bodyMemory: BodyMemory | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly sdkVersion: string;
  readonly wire: WireChoice;
  readonly billing: "pause" | "fail";
  readonly projectId: string | undefined;
  readonly displayName: string | undefined;
  readonly userMetadata: JsonObject;
  readonly tags: readonly string[];
  readonly tokenizer: Tokenizer | TokenizerLoader | undefined;
}

/** A server that was never reached is most often a wrong address: some seconds tell. */
const FIRST_CONTACT_RETRIES = 2;

const WIRE_CHOICES: readonly WireChoice[] = ["auto", "protobuf", "json"];
const BILLING_CHOICES: readonly ClientSettings["billing"][] = ["pause", "fail"];

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
  defaultHeaders: true,
  logger: true,
  env: true,
  clock: true,
  random: true,
  sdkVersion: true,
  transport: true,
};

/**
 * Fills in what the options leave out. Nothing is sent.
 *
 * @throws ValidationError for an option that cannot work
 */
export function resolveSettings(options: ServiceClientOptions): ClientSettings {
  checkKnownNames(options, OPTION_NAMES, "the options of ServiceClient");
  checkTogether(options);
  const env = options.env ?? process.env;
  const fromEnv = (name: string): string | undefined => env[name]?.trim() || undefined;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const logger = options.logger ?? consoleLogger("warn");
  const sdkVersion = options.sdkVersion ?? COMPATIBLE_SDK_VERSION;
  const baseUrl = resolveBaseUrl(options.baseUrl ?? fromEnv("TINKER_BASE_URL"));
  const makeOwn = (): TinkexTransport =>
    createTransport({
      baseUrl,
      ...resolveCredentials({ apiKey: options.apiKey, credential: options.credential, fromEnv, baseUrl }),
      defaultHeaders: { ...cloudflareHeaders(fromEnv), ...options.defaultHeaders },
      proxy: proxyFromEnvironment(env),
      hooks: options.hooks,
      sdkVersion,
      clock,
      random,
      logger,
      firstContactRetries: FIRST_CONTACT_RETRIES,
    });
  const transport = options.transport ?? makeOwn();
  return {
    baseUrl: options.transport === undefined ? baseUrl : undefined,
    transport,
    useTokens: () => {
      if ("useTokens" in transport && typeof transport.useTokens === "function") transport.useTokens();
    },
    shownText: shownTextOf(transport),
    compress: options.compress ?? zstdCompressor(),
    bodyMemory: options.transport === undefined ? new BodyMemory() : undefined,
    clock,
    random,
    logger,
    sdkVersion,
    wire: oneOf("wire", options.wire ?? "auto", WIRE_CHOICES),
    billing: oneOf("billing", options.billing ?? "pause", BILLING_CHOICES),
    projectId: options.projectId ?? fromEnv("TINKER_PROJECT_ID"),
    displayName: options.displayName,
    userMetadata: options.userMetadata ?? {},
    tags: options.tags ?? splitTags(fromEnv("TINKER_TAGS")),
    tokenizer: options.tokenizer,
  };
}

function shownTextOf(transport: HttpTransport): ClientSettings["shownText"] {
  if (!("shownText" in transport)) return undefined;
  const { shownText } = transport;
  return typeof shownText === "function" ? (text) => String(shownText.call(transport, text)) : undefined;
}

/** Options that a transport of the caller's carries out by itself; given beside one it would be ignored. */
const OF_THE_TRANSPORT = ["apiKey", "credential", "baseUrl", "defaultHeaders", "hooks"] as const;

function checkTogether(options: ServiceClientOptions): void {
  if (options.apiKey !== undefined && options.credential !== undefined) {
    throw new ValidationError("give an apiKey or a credential, not both", { path: ["credential"] });
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

function oneOf<Choice extends string>(name: string, value: Choice, choices: readonly Choice[]): Choice {
  if (choices.includes(value)) return value;
  throw new ValidationError(`${name} must be one of ${choices.join(", ")}, got ${String(value)}`, {
    path: [name],
  });
}

function splitTags(tags: string | undefined): readonly string[] {
  const given = (tags ?? "").split(",").map((tag) => tag.trim());
  return [...new Set(given.filter((tag) => tag !== ""))];
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
