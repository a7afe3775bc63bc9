import type { Clock, HttpTransport, Logger, Tokenizer } from "@tinkex/base";
import type {
  Compress,
  CredentialSource,
  PoolName,
  ProxySettings,
  RetryOptions,
  TransportHooks,
} from "@tinkex/http";
import type { JsonObject, TelemetryReporter } from "@tinkex/types";
import type { TokenizerLoader } from "../session/model-tokenizer.js";
import type { WireChoice } from "../session/server-generation.js";

/** Most requests under way by kind of traffic, each 1 or more, or `Infinity`. All fields may be left out. */
export interface PoolOptions extends Partial<Readonly<Record<PoolName, number | undefined>>> {
  /** Opening sessions, and heartbeats. @defaultValue 50 */
  readonly session?: number | undefined;
  /** Training requests. @defaultValue 64 */
  readonly train?: number | undefined;
  /** Sampling requests; fewer for a while when the service is busy. @defaultValue 400 */
  readonly sample?: number | undefined;
  /** Polls for results: each result that is waited for holds one. @defaultValue Infinity */
  readonly poll?: number | undefined;
  /** Telemetry. @defaultValue 4 */
  readonly telemetry?: number | undefined;
  /** All other endpoints. @defaultValue 50 */
  readonly rest?: number | undefined;
  /** Exchanges of keys for tokens. @defaultValue 4 */
  readonly auth?: number | undefined;
}

/**
 * Options of a {@link ServiceClient}. An option that is given wins over the environment, which wins over the default; an empty
 * environment variable counts as unset.
 */
export interface ServiceClientOptions {
  /** @defaultValue `TINKER_API_KEY`, else what `tinker auth login` has stored; not needed for a server on this machine */
  readonly apiKey?: string | undefined;
  /** @defaultValue `TINKER_BASE_URL`, else the hosted service */
  readonly baseUrl?: string | undefined;
  /** Project the session belongs to. @defaultValue `TINKER_PROJECT_ID` */
  readonly projectId?: string | undefined;
  /** Free text that lists and searches show for the session. */
  readonly displayName?: string | undefined;
  /** Kept with the session. */
  readonly userMetadata?: JsonObject | undefined;
  /** Labels of the session. @defaultValue `TINKER_TAGS`, split at commas, empty ones left out */
  readonly tags?: readonly string[] | undefined;
  /** @defaultValue `auto`: protobuf where the server understands it, else JSON */
  readonly wire?: WireChoice | undefined;
  /** Conduct at a 402: `pause` waits until the account can pay, `fail` throws at once. @defaultValue `pause` */
  readonly billing?: "pause" | "fail" | undefined;
  /** The tokenizer `getTokenizer()` gives, or what loads one. @defaultValue reads the directory that a server on this machine names, else downloads from the Hugging Face hub */
  readonly tokenizer?: Tokenizer | TokenizerLoader | undefined;
  /** Gives the key or token in place of `apiKey`, for every request anew. @defaultValue the command in `TINKER_CREDENTIAL_CMD` */
  readonly credential?: CredentialSource | undefined;
  /** Packs training requests where the server allows it. @defaultValue zstd, on a Node that has it (22.15 and later) */
  readonly compress?: Compress | undefined;
  /** Told of every request, answer and repeat. */
  readonly hooks?: TransportHooks | undefined;
  /**
   * Limits and pauses of the repeats of one failed request; what is left out stays as the endpoint has it. Polls for results and
   * samples that are made again have pauses of their own. A pause that the service asks for is obeyed whatever stands here.
   */
  readonly retry?: RetryOptions | undefined;
  /** Most requests under way at one time, by kind of traffic; further ones wait in the order of their calls. */
  readonly pools?: PoolOptions | undefined;
  /**
   * Milliseconds after which a call fails with `TimeoutError`, pauses and repeats included, where the call has no `timeoutMs` of
   * its own (`timeoutMs: Infinity` is none). @defaultValue no limit
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds after which a result is given up while the service answers polls for it with errors (5xx) or pages of a proxy, and
   * with nothing else; `Infinity` never gives up. @defaultValue 900,000
   */
  readonly pollPatienceMs?: number | undefined;
  /** Sent with every request, by name; they win over our own, and those of a call win over them. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * A `fetch` that carries all requests in place of our own connections, and downloads tokenizers; `proxy` and pools of connections are
   * then its responsibility.
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Proxy for all requests, e.g. `http://proxy.example:3128` (or `https://`, `socks5://`), or one each for `http:` and `https:`
   * services and the hosts to go to directly; `{}` uses none. A server on this machine is gone to directly.
   * @defaultValue `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`
   */
  readonly proxy?: string | ProxySettings | undefined;
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
  /**
   * Reports to the service that calls failed and how: `false` turns it off, `true` turns it on whatever the environment says, or a
   * reporter such as `new ServiceReporter()` of `@tinkex/telemetry`, one for each client. Without that package nothing is reported,
   * and with a transport or a clock of the caller's only where this option says so.
   * @defaultValue on, unless `TINKER_TELEMETRY` is another word than `1`, `true`, `yes` or `on`, or `DO_NOT_TRACK` is `1`
   */
  readonly telemetry?: TelemetryReporter | boolean | undefined;
  /** Carries all requests in place of our own HTTP; what it needs (`apiKey`, `baseUrl`, `headers`, …) is given to it. */
  readonly transport?: HttpTransport | undefined;
}
