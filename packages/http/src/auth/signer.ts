import { canSend } from "../body/streamed-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { Operation } from "../operations/operations.js";
import { headerOf, setHeader } from "../request/header-list.js";
import type { WireRequest } from "../request/wire-request.js";
import type { TinkexCall } from "../transport-call.js";
import type { CredentialSource } from "./credential-command.js";
import type { TokenAuth } from "./token-auth.js";

const NAME = "x-api-key";
/** Credentials remembered for blotting them out of messages; older ones no longer work. */
const MOST_REMEMBERED = 8;

/** Puts the credential on requests where it is not the same for all: a source asked each time, or tokens. */
export class Signer {
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

  /** The request with its credential, or as it is where the key it has will do, or the caller gave one. */
  sign(
    request: WireRequest,
    operation: Operation,
    call: TinkexCall,
    scope: CallScope,
  ): WireRequest | Promise<WireRequest> {
    const given = Object.keys(call.headers ?? {}).some((name) => name.toLowerCase() === NAME);
    if (given) return request;
    if (this.tokens !== undefined && operation.credential !== "key") {
      return this.#with(request, scope, this.tokens.current());
    }
    return this.#source === undefined ? request : this.#with(request, scope, this.#ask(this.#source));
  }

  /**
   * After an answer of 401 that says `invalid_token`: the request with another token. It is the same try: the service
   * has not looked at the request.
   */
  async resign(request: WireRequest, answer: TryOutcome, scope: CallScope): Promise<WireRequest | undefined> {
    if (this.tokens === undefined || answer.kind !== "answer" || answer.status !== 401) return undefined;
    if (!/error="?invalid_token/.test(answer.headers["www-authenticate"] ?? "")) return undefined;
    if (!canSend(request.body)) return undefined;
    return this.#with(request, scope, this.tokens.replace(headerOf(request.headers, NAME) ?? ""));
  }

  async #ask(source: CredentialSource): Promise<string> {
    return source();
  }

  async #with(request: WireRequest, scope: CallScope, credential: Promise<string>): Promise<WireRequest> {
    const value = await scope.outlast(credential);
    this.#remembered.delete(value);
    this.#remembered.add(value);
    const [oldest] = this.#remembered;
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    const headers = request.headers.slice();
    setHeader(headers, NAME, value);
    return { ...request, headers };
  }
}
