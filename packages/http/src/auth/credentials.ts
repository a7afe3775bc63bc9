import { canSend } from "../body/streamed-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { Job } from "../job.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import { headerOf } from "../request/header-list.js";
import { hasGivenHeader, type WireRequest, withHeader } from "../request/wire-request.js";
import type { CredentialSource } from "./credential-command.js";
import type { TokenAuth } from "./token-auth.js";

const NAME = "x-api-key";
/** Credentials remembered for blotting them out of messages; older ones no longer work. */
const MAX_REMEMBERED = 8;

/**
 * Credentials middleware: puts the credential on requests where it is not the same for all, from a source asked each time, or
 * from tokens. A transport whose key never changes has it in its headers, and no middleware.
 */
export class Credentials {
  readonly #source: CredentialSource | undefined;
  readonly #remembered = new Set<string>();
  /** Set once the service has said that it wants tokens. */
  tokens: TokenAuth | undefined;

  constructor(source: CredentialSource | undefined) {
    this.#source = source;
  }

  /** Every credential put on a request lately. */
  get secrets(): readonly string[] {
    return [...this.#remembered];
  }

  /** Gives the request its credential, or leaves it as it is where the key it has will do, or the caller gave one. */
  async addTo(request: WireRequest, { call, operation, lifetime }: Job): Promise<WireRequest> {
    if (hasGivenHeader(call, NAME)) return request;
    if (this.tokens !== undefined && operation.credential !== "key") {
      return this.#with(request, lifetime, this.tokens.current());
    }
    return this.#source === undefined ? request : this.#with(request, lifetime, ask(this.#source));
  }

  /**
   * Gives the request another token after an answer of 401 that says `invalid_token`; `undefined` after any other. It is the
   * same try: the service has not looked at the request.
   */
  async replacedAfter(
    outcome: TryOutcome,
    request: WireRequest,
    lifetime: CallLifetime,
  ): Promise<WireRequest | undefined> {
    if (this.tokens === undefined || outcome.kind !== "answer" || outcome.status !== 401) return undefined;
    if (!/error="?invalid_token/.test(outcome.headers["www-authenticate"] ?? "")) return undefined;
    if (!canSend(request.body)) return undefined;
    return this.#with(request, lifetime, this.tokens.replace(headerOf(request.headers, NAME) ?? ""));
  }

  async #with(
    request: WireRequest,
    lifetime: CallLifetime,
    credential: Promise<string>,
  ): Promise<WireRequest> {
    const value = await lifetime.outlast(credential);
    this.#remembered.delete(value);
    this.#remembered.add(value);
    const [oldest] = this.#remembered;
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return withHeader(request, NAME, value);
  }
}

/** Asks a source; what it throws at once is a rejection too. */
async function ask(source: CredentialSource): Promise<string> {
  return source();
}
