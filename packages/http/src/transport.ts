import { ClosedError, type TransportResponse } from "@tinkex/base";
import type { CredentialSource } from "./auth/credential-command.js";
import { Credentials } from "./auth/credentials.js";
import { readToken } from "./auth/read-token.js";
import { TokenAuth } from "./auth/token-auth.js";
import { isToken } from "./auth/token-life.js";
import { unpackAnswer } from "./body/decode-body.js";
import { canSend } from "./body/streamed-body.js";
import { networkError } from "./errors/network-error.js";
import { type CallFacts, statusError } from "./errors/status-error.js";
import type { Answer, TryOutcome } from "./errors/try-outcome.js";
import { deprecationNote } from "./hooks/deprecation-note.js";
import { RequestObserver } from "./hooks/request-observer.js";
import { secretsIn } from "./hooks/secrets.js";
import { shownText } from "./hooks/shown-text.js";
import type { Job } from "./job.js";
import { CallLifetime } from "./limits/call-lifetime.js";
import { countTraffic, type Traffic, trafficOf, waitForQuiet } from "./limits/traffic.js";
import { checkCall } from "./operations/operations.js";
import type { PoolName } from "./operations/policy.js";
import { withAbsoluteLocation } from "./redirect/absolute-location.js";
import { followRedirects } from "./redirect/follow-redirects.js";
import { type HeaderList, headerOf } from "./request/header-list.js";
import {
  type RequestDefaults,
  type WireRequest,
  wireRequest,
  withRetryCount,
} from "./request/wire-request.js";
import { asRead, isSuccess } from "./retry/classify-outcome.js";
import { mayHaveArrived } from "./retry/earlier-tries.js";
import { Retries, type RetryParts } from "./retry/retries.js";
import { parseRetryHint } from "./retry/retry-hint.js";
import type { Sender } from "./send/sender.js";
import type { TinkexCall, TinkexTransport, TransportStats } from "./tinkex-transport.js";

/** Parts of a {@link Transport}; all defaults are filled in. */
export interface TransportParts extends RetryParts {
  /** The proxy on the way there, without its password, for messages. */
  readonly proxy: string | undefined;
  readonly headers: HeaderList;
  /** Asked for the credential of every try; `undefined` when `headers` hold a key that never changes. */
  readonly credential: CredentialSource | undefined;
  readonly sender: Sender;
  readonly newIdempotencyKey: () => string;
  readonly poolLimits: Readonly<Record<PoolName, number>>;
}

/**
 * Carries calls as the table of operations says. A call goes down through `call`, `#try` and `#exchange`, which read as the diagram
 * in the README does.
 */
export class Transport implements TinkexTransport {
  readonly #parts: TransportParts;
  readonly #defaults: RequestDefaults;
  readonly #traffic: Readonly<Record<PoolName, Traffic>>;
  readonly #retries: Retries;
  readonly #observer: RequestObserver;
  #credentials: Credentials | undefined;
  readonly #lifetimes = new Set<CallLifetime>();
  #hasContact = false;
  #isClosed = false;

  constructor(parts: TransportParts) {
    const { baseUrl, headers, newIdempotencyKey, poolLimits, credential, sender } = parts;
    const { origin, pathname } = new URL(baseUrl);
    this.#parts = parts;
    this.#defaults = { origin, pathPrefix: pathname === "/" ? "" : pathname, headers, newIdempotencyKey };
    this.#traffic = trafficOf(poolLimits, (request) => sender.renew(request));
    this.#retries = new Retries(parts);
    this.#observer = new RequestObserver(parts);
    this.#credentials = credential === undefined ? undefined : new Credentials(credential);
  }

  /** Checks a call, and tries until there is an answer to keep, the retry policy is used up, or the call is over. */
  async call(call: TinkexCall): Promise<TransportResponse> {
    if (this.#isClosed) throw new ClosedError(`${call.operation}: the client is closed`);
    const operation = checkCall(call);
    const request = wireRequest(operation, call, this.#defaults);
    const traffic = this.#traffic[operation.pool];
    const lifetime = new CallLifetime(call.operation, this.#parts.clock, call);
    const job: Job = {
      call,
      operation,
      request,
      traffic,
      lifetime,
      earlierTries: [],
      attempt: 0,
      retries: 0,
      hasRepeatedAtOnce: false,
    };
    this.#lifetimes.add(lifetime);
    try {
      for (;;) {
        job.attempt += 1;
        const outcome = await this.#try(job);
        if (isSuccess(outcome, operation, call.returnStatuses)) {
          const { status, body } = outcome;
          const { location } = outcome.headers;
          const headers =
            location === undefined
              ? outcome.headers
              : withAbsoluteLocation(request, outcome.headers, location);
          if (headers["x-deprecation-note"] !== undefined) this.#warnOfDeprecation(job, outcome);
          return { status, headers, body, attempts: job.attempt };
        }
        const pauseMs = lifetime.isStopped
          ? undefined
          : this.#retries.pauseAfter(job, outcome, this.#hasContact);
        if (pauseMs === undefined) throw this.#failure(job, outcome);
        if (pauseMs > 0) await lifetime.sleep(pauseMs);
      }
    } finally {
      lifetime.end();
      this.#lifetimes.delete(lifetime);
    }
  }

  /** Makes one try. There is no await where nothing is waited for: it would show at thousands of requests a second. */
  async #try(job: Job): Promise<TryOutcome> {
    const { call, operation, traffic, lifetime, retries } = job;
    const { clock, random } = this.#parts;
    if (traffic.quietUntilMs > clock.monotonic() && operation.retry !== "none") {
      call.observer?.pausing(traffic.quietUntilMs - clock.monotonic());
      await waitForQuiet(traffic, lifetime, clock, random);
    }
    let request = retries === 0 ? job.request : withRetryCount(job.request, call, retries);
    if (this.#credentials !== undefined) request = await this.#credentials.addTo(request, job);
    let outcome = await this.#exchange(job, request);
    if (this.#credentials !== undefined && !lifetime.isStopped) {
      const replaced = await this.#credentials.replacedAfter(outcome, request, lifetime);
      if (replaced !== undefined) outcome = await this.#exchange(job, replaced);
    }
    const isWell = outcome.kind === "answer" && outcome.status >= 200 && outcome.status < 300;
    const judged = isWell && !traffic.edge.isDoubted ? outcome : traffic.edge.judge(outcome, request);
    const read = asRead(judged, call);
    // A page in place of an answer may be that of a wrong address.
    if (outcome.kind === "answer" && read === judged) this.#hasContact = true;
    return read;
  }

  /** Sends once there is a permit for it among the requests of its kind, and lets the observer hear of it if there is one. */
  async #exchange(job: Job, request: WireRequest): Promise<TryOutcome> {
    const { call, attempt, lifetime, traffic } = job;
    const release =
      traffic.permits.tryAcquire() ??
      (await lifetime.during<() => void>(({ resolve }) => traffic.permits.enqueue(resolve)));
    try {
      const { observer } = call;
      if (observer === undefined && !this.#observer.isHeard) {
        const outcome = await this.#parts.sender.send(request, lifetime);
        // Most answers are whole as they come: not packed, and sent on nowhere.
        const isWhole =
          outcome.kind !== "answer" ||
          (outcome.status < 300 && outcome.headers["content-encoding"] === undefined);
        return isWhole ? outcome : await this.#follow(job, request, outcome);
      }
      const send = async (sent: WireRequest): Promise<TryOutcome> =>
        this.#follow(job, sent, await this.#parts.sender.send(sent, lifetime));
      return await this.#observer.observe(call.operation, request, attempt, send, observer);
    } finally {
      lifetime.isUnderWay = false;
      release();
    }
  }

  /** Goes where a request is sent on, and unpacks the answer. */
  async #follow(
    { operation, lifetime }: Job,
    request: WireRequest,
    answered: TryOutcome,
  ): Promise<TryOutcome> {
    const { sender } = this.#parts;
    let outcome = answered;
    if (outcome.kind === "answer" && outcome.status >= 300 && operation.redirect !== "return") {
      const secrets = (): readonly string[] => this.#secrets(request);
      outcome = await followRedirects(request, outcome, { lifetime, sender, secrets });
    }
    if (outcome.kind === "answer" && outcome.headers["content-encoding"] !== undefined) {
      const secrets = (): readonly string[] => this.#secrets(request);
      outcome = await unpackAnswer(outcome, operation.maxAnswerBytes, secrets, lifetime);
    }
    return outcome;
  }

  #failure(job: Job, outcome: TryOutcome): Error {
    const { call, operation, request, earlierTries, attempt } = job;
    if (outcome.kind === "answer") this.#warnOfDeprecation(job, outcome);
    const facts: CallFacts = {
      operation: call.operation,
      baseUrl: this.#parts.baseUrl,
      proxy: this.#parts.proxy,
      attempts: attempt,
      earlierTries,
      notRepeated: canSend(call.body)
        ? undefined
        : "it was not sent again, for its body can be read only once",
      finalStatuses: [...(operation.finalStatuses ?? []), ...(call.finalStatuses ?? [])],
      retryAfterMs:
        outcome.kind === "answer"
          ? parseRetryHint(outcome.headers, this.#parts.clock.now())?.delayMs
          : undefined,
      mayHaveArrived: mayHaveArrived(outcome) || earlierTries.some((each) => each.mayHaveArrived),
      secrets: this.#secrets(request),
    };
    return outcome.kind === "answer" ? statusError(outcome, facts) : networkError(outcome, facts);
  }

  #warnOfDeprecation({ request }: Job, { headers }: Answer): void {
    const note = deprecationNote(headers, this.#secrets(request));
    if (note !== undefined) this.#parts.logger[note.level](`Deprecation notice: ${note.text}`);
  }

  /** Credentials that must not be shown of a server's words. */
  #secrets({ headers }: Pick<WireRequest, "headers">): readonly string[] {
    return [...new Set([...secretsIn(headers), ...(this.#credentials?.secrets ?? [])])];
  }

  shownText(text: string): string {
    return shownText(text, this.#secrets(this.#parts));
  }

  stats(): TransportStats {
    return { requests: countTraffic(this.#traffic), sockets: this.#parts.sender.sockets };
  }

  useTokens(): void {
    const { clock, random, logger, credential, headers } = this.#parts;
    this.#credentials ??= new Credentials(undefined);
    this.#credentials.tokens ??= new TokenAuth({
      source: credential ?? (() => headerOf(headers, "x-api-key") ?? ""),
      exchange: (key, isUrgent) => this.#exchangeKey(key, isUrgent),
      clock,
      random,
      logger,
    });
  }

  async identityToken(): Promise<string | undefined> {
    const { credential, headers } = this.#parts;
    if (this.#credentials?.tokens !== undefined) return this.#credentials.tokens.current();
    const key = credential === undefined ? headerOf(headers, "x-api-key") : await credential();
    return key !== undefined && isToken(key) ? key : undefined;
  }

  async #exchangeKey(key: string, isUrgent: boolean): Promise<string> {
    const { body } = await this.call({
      operation: "auth_token",
      body: new TextEncoder().encode("{}"),
      headers: { "x-api-key": key },
      // While the old token serves, nobody waits longer than this for the new one.
      ...(isUrgent ? {} : { timeoutMs: 10_000 }),
    });
    return readToken(body);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const lifetime of this.#lifetimes) {
      lifetime.interrupt(new ClosedError("the client was closed while the call was under way"));
    }
    return this.#parts.sender.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
