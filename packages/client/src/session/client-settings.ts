import {
  COMPATIBLE_SDK_VERSION,
  checkApiKey,
  consoleLogger,
  createTransport,
  proxyFromEnvironment,
  resolveBaseUrl,
  systemClock,
} from "@tinkex/http";
import type { Clock, HttpTransport, JsonObject, Logger, Tokenizer } from "@tinkex/types";
import { ValidationError } from "@tinkex/types";

/** Which encoding training and sampling speak: what the server understands, or one fixed by the caller. */
export type WireChoice = "auto" | "protobuf" | "json";

/** Gives the tokenizer of a model: what `get_info` says of it goes in. */
export type TokenizerLoader = (model: {
  readonly modelName: string;
  readonly tokenizerId: string | undefined;
}) => Tokenizer | Promise<Tokenizer>;

/**
 * Options of a {@link ServiceClient}. An option that is given wins over the environment, which wins over the default; an empty
 * environment variable counts as unset.
 */
export interface ServiceClientOptions {
  /** @defaultValue `TINKER_API_KEY`; not needed for a server on this machine */
  readonly apiKey?: string | undefined;
  /** @defaultValue `TINKER_BASE_URL`, else the hosted service */
  readonly baseUrl?: string | undefined;
  /** Project the session belongs to. @defaultValue `TINKER_PROJECT_ID` */
  readonly projectId?: string | undefined;
  /** Free text that lists and searches show for the session. */
  readonly displayName?: string | undefined;
  /** Kept with the session. */
  readonly userMetadata?: JsonObject | undefined;
  /** Labels of the session. @defaultValue `TINKER_TAGS`, split at commas */
  readonly tags?: readonly string[] | undefined;
  /** @defaultValue `auto`: protobuf where the server understands it, else JSON */
  readonly wire?: WireChoice | undefined;
  /** What a 402 does: wait until the account can pay, or fail at once. @defaultValue `pause` */
  readonly billing?: "pause" | "fail" | undefined;
  /** The tokenizer `getTokenizer()` gives, or what loads one. @defaultValue reads local model directories */
  readonly tokenizer?: Tokenizer | TokenizerLoader | undefined;
  /** Sent with every request; they win over our own. */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /** @defaultValue warnings and errors, to standard error */
  readonly logger?: Logger | undefined;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
  /** Numbers in [0, 1), for jitter. @defaultValue Math.random */
  readonly random?: (() => number) | undefined;
  /** The official SDK version we claim to behave like; servers switch features on by it. */
  readonly sdkVersion?: string | undefined;
  /** Carries all requests in place of our own HTTP; `apiKey`, `baseUrl` and headers are then its affair. */
  readonly transport?: HttpTransport | undefined;
}

/** The options with all defaults filled in, checked once. */
export interface ClientSettings {
  readonly transport: HttpTransport;
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

/**
 * Fills in what the options leave out. Nothing is sent.
 *
 * @throws ValidationError for an option that cannot work
 */
export function resolveSettings(options: ServiceClientOptions): ClientSettings {
  const env = options.env ?? process.env;
  const fromEnv = (name: string): string | undefined => env[name]?.trim() || undefined;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const logger = options.logger ?? consoleLogger("warn");
  const sdkVersion = options.sdkVersion ?? COMPATIBLE_SDK_VERSION;
  const baseUrl = resolveBaseUrl(options.baseUrl ?? fromEnv("TINKER_BASE_URL"));
  const transport =
    options.transport ??
    createTransport({
      baseUrl,
      apiKey: checkApiKey(options.apiKey ?? fromEnv("TINKER_API_KEY"), baseUrl),
      defaultHeaders: { ...cloudflareHeaders(fromEnv), ...options.defaultHeaders },
      proxy: proxyFromEnvironment(env),
      sdkVersion,
      clock,
      random,
      logger,
      firstContactRetries: FIRST_CONTACT_RETRIES,
    });
  return {
    transport,
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

function oneOf<Choice extends string>(name: string, value: Choice, choices: readonly Choice[]): Choice {
  if (choices.includes(value)) return value;
  throw new ValidationError(`${name} must be one of ${choices.join(", ")}, got ${String(value)}`, {
    path: [name],
  });
}

function splitTags(tags: string | undefined): readonly string[] {
  return tags === undefined ? [] : [...new Set(tags.split(",").map((tag) => tag.trim()))];
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
