import type { Clock, HttpTransport, Logger, Tokenizer } from "@tinkex/base";
import type { Compress, CredentialSource, TransportHooks } from "@tinkex/http";
import type { JsonObject } from "@tinkex/types";
import type { TokenizerLoader } from "../session/model-tokenizer.js";
import type { WireChoice } from "../session/server-generation.js";

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
  /** What a 402 does: wait until the account can pay, or fail at once. @defaultValue `pause` */
  readonly billing?: "pause" | "fail" | undefined;
  /** The tokenizer `getTokenizer()` gives, or what loads one. @defaultValue reads the directory that a server on this machine names */
  readonly tokenizer?: Tokenizer | TokenizerLoader | undefined;
  /** Gives the key or token in place of `apiKey`, for every request anew. @defaultValue the command in `TINKER_CREDENTIAL_CMD` */
  readonly credential?: CredentialSource | undefined;
  /** Packs training requests where the server allows it. @defaultValue zstd, on a Node that has it (22.15 and later) */
  readonly compress?: Compress | undefined;
  /** Told of every request, answer and repeat. */
  readonly hooks?: TransportHooks | undefined;
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
