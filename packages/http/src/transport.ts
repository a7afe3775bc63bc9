import {
  type Clock,
  ClosedError,
  type FailedTry,
  type HttpTransport,
  type Logger,
  type TransportResponse,
} from "@tinkex/base";
import type { CredentialSource } from "./auth/credential-command.js";
import { readToken } from "./auth/read-token.js";
import { Signer } from "./auth/signer.js";
import { TokenAuth } from "./auth/token-auth.js";
import { canSend } from "./body/streamed-body.js";
import { describeOutcome } from "./errors/describe-outcome.js";
import { networkError } from "./errors/network-error.js";
import { type CallFacts, statusError } from "./errors/status-error.js";
import type { TryOutcome } from "./errors/try-outcome.js";
import { deprecationNote } from "./hooks/deprecation-note.js";
import { RetryNews } from "./hooks/retry-news.js";
import { secretsIn } from "./hooks/secrets.js";
import { shownText } from "./hooks/shown-text.js";
import type { TransportHooks } from "./hooks/transport-hooks.js";
import { TryWatch } from "./hooks/try-watch.js";
import { CallScope } from "./limits/call-scope.js";
import { FifoLimit } from "./limits/fifo-limit.js";
import { RateGate } from "./limits/rate-gate.js";
import { checkCall, type Operation } from "./operations/operations.js";
import type { PoolName } from "./operations/pool-limits.js";
import { exchange } from "./redirect/exchange.js";
import { callHeaders, type HeaderList, headerOf, setHeader } from "./request/header-list.js";
import { requestPath } from "./request/request-path.js";
import type { WireRequest } from "./request/wire-request.js";
import { HINT_JITTER } from "./retry/backoff-delay.js";
import { classifyOutcome } from "./retry/classify-outcome.js";
import { noteEarlierTry } from "./retry/earlier-tries.js";
import { EdgeRejections } from "./retry/edge-rejections.js";
import { mayHaveArrived } from "./retry/may-have-arrived.js";
import { RetryPace } from "./retry/retry-pace.js";
import { type RetryPolicy, type RetrySettings, settledPolicy } from "./retry/retry-policy.js";
import { type LastTry, type Retry, runWithRetries } from "./retry/run-with-retries.js";
import type { Sender } from "./send/sender.js";
import type { TinkexCall } from "./transport-call.js";

/** What a {@link Transport} is made of; all defaults are filled in. */
export interface TransportParts {
  readonly baseUrl: string;
  /** The proxy on the way there, without its password, for messages. */
  readonly proxy: string | undefined;
  readonly headers: HeaderList;
  /** Asked for the credential of every try; `undefined` when `headers` hold a key that never changes. */
  readonly credential: CredentialSource | undefined;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly hooks: TransportHooks;
  readonly newIdempotencyKey: () => string;
  readonly poolLimits: Readonly<Record<PoolName, number>>;
  readonly retry: RetrySettings;
  readonly firstContactRetries: number;
}

/** One call on its way: what was asked, how it goes out, and what it has met so far. */
interface Job {
  readonly call: TinkexCall;
  readonly operation: Operation;
  readonly request: WireRequest;
  readonly scope: CallScope;
  readonly earlierTries: FailedTry[];
}

/** A transport that can exchange its key for short-lived tokens. */
export interface TinkexTransport extends HttpTransport {
  /**
   * From now on everything but `client_config` and the exchange itself goes with a token instead of the key: for a
   * service whose configuration says `pjwt_auth_enabled`.
   */
  useTokens(): void;
  /**
   * Makes a server's words fit for messages and log lines: without the credentials this transport sends, however they are
   * written, with control characters escaped, and cut to 2,000 characters.
   */
  shownText(text: string): string;
  /** As {@link HttpTransport.call}; the body may be streamed. */
  call(call: TinkexCall): Promise<TransportResponse>;
}

/** Carries calls as the table of operations says. */
export class Transport implements TinkexTransport {
  readonly #parts: TransportParts;
  readonly #origin: string;
  readonly #pathPrefix: string;
  readonly #limits = new Map<PoolName, FifoLimit>();
  readonly #scopes = new Set<CallScope>();
  readonly #edge = new EdgeRejections();
  readonly #gate = new RateGate();
  readonly #pace = new RetryPace();
  readonly #watch: TryWatch;
  readonly #news: RetryNews;
  readonly #signer: Signer;
  #answered = false;
  #closed = false;

  constructor(parts: TransportParts) {
    this.#parts = parts;
    this.#watch = new TryWatch(parts);
    this.#news = new RetryNews(parts);
    this.#signer = new Signer(parts.credential);
    const { origin, pathname } = new URL(parts.baseUrl);
    this.#origin = origin;
    this.#pathPrefix = pathname === "/" ? "" : pathname;
  }

  async call(call: TinkexCall): Promise<TransportResponse> {
    if (this.#closed) throw new ClosedError(`${call.operation}: the client is closed`);
    const operation = checkCall(call);
    const request = this.#request(operation, call);
    const scope = new CallScope(call.operation, this.#parts.clock, call);
    const job: Job = { call, operation, request, scope, earlierTries: [] };
    this.#scopes.add(scope);
    try {
      return this.#conclude(job, await this.#run(job));
    } finally {
      scope.end();
      this.#scopes.delete(scope);
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const scope of this.#scopes) {
      scope.interrupt(new ClosedError("the client was closed while the call was under way"));
    }
    return this.#parts.sender.close();
  }

  shownText(text: string): string {
    return shownText(text, this.#secrets(this.#parts));
  }

  useTokens(): void {
    const { clock, random, logger, credential, headers } = this.#parts;
    this.#signer.tokens ??= new TokenAuth({
      source: credential ?? (() => headerOf(headers, "x-api-key") ?? ""),
      exchange: (key, urgent) => this.#exchangeKey(key, urgent),
      clock,
      random,
      logger,
    });
  }

  async #exchangeKey(key: string, urgent: boolean): Promise<string> {
    const { body } = await this.call({
      operation: "auth_token",
      body: new TextEncoder().encode("{}"),
      headers: { "x-api-key": key },
      // While the old token serves, nobody waits longer than this for the new one.
      ...(urgent ? {} : { timeoutMs: 10_000 }),
    });
    return readToken(body);
  }

  #request(operation: Operation, call: TinkexCall): WireRequest {
    const { headers, newIdempotencyKey } = this.#parts;
    return {
      pool: operation.pool,
      method: operation.method,
      origin: this.#origin,
      path: this.#pathPrefix + requestPath(operation, call),
      headers: callHeaders(headers, operation, call, newIdempotencyKey),
      body: call.body,
      timeouts: operation.timeouts,
      maxAnswerBytes: operation.maxAnswerBytes,
    };
  }

  #run(job: Job): Promise<LastTry> {
    const { clock, random } = this.#parts;
    const { call, operation, scope } = job;
    return runWithRetries({
      send: (attempt, retries) => this.#try(job, attempt, retries),
      classify: (outcome) => classifyOutcome(outcome, operation, call.returnStatuses ?? [], clock.now()),
      policy: () => this.#policy(operation),
      repeatable: () => operation.idempotent !== "no" && canSend(call.body),
      scope,
      clock,
      random,
      pace: this.#pace,
      onRetry: (retry) => this.#noteRetry(job, retry),
    });
  }

  async #try(job: Job, attempt: number, retries: number): Promise<TryOutcome> {
    const { call, operation, scope } = job;
    const { sender, clock } = this.#parts;
    if (operation.retry !== "none" && this.#gate.waitMs(operation.pool, clock.monotonic()) > 0) {
      await this.#waitForQuiet(operation.pool, scope);
    }
    const counted = retries === 0 ? job.request : withRetryCount(job.request, call, retries);
    const signed = this.#signer.sign(counted, operation, call, scope);
    // No await where nothing is waited for: every turn of the microtask queue shows at thousands of requests a second.
    const request = signed instanceof Promise ? await signed : signed;
    let answer = await this.#send(job, request, attempt);
    const again = this.#signer.tokens && (await this.#signer.resign(request, answer, scope));
    if (again !== undefined) answer = await this.#send(job, again, attempt);
    if (answer.kind === "answer") this.#answered = true;
    const { outcome, renew } = this.#edge.judge(answer, operation);
    if (renew) sender.renew(request);
    return outcome;
  }

  /** Waits until the service's pause is over, also when it grows meanwhile. Those who wait do not come back in one moment. */
  async #waitForQuiet(pool: PoolName, scope: CallScope): Promise<void> {
    const { clock, random } = this.#parts;
    for (;;) {
      const waitMs = this.#gate.waitMs(pool, clock.monotonic());
      if (waitMs <= 0) return;
      await scope.sleep(waitMs * (1 + HINT_JITTER * random()));
    }
  }

  async #send({ call, operation, scope }: Job, request: WireRequest, attempt: number): Promise<TryOutcome> {
    const limit = this.#limit(operation.pool);
    if (!limit.enterAtOnce()) await limit.enterInTurn(scope);
    try {
      return await this.#watch.during(call.operation, request, attempt, () =>
        exchange(request, {
          operation,
          scope,
          sender: this.#parts.sender,
          secrets: () => this.#secrets(request),
        }),
      );
    } finally {
      limit.leave();
    }
  }

  #noteRetry({ call, operation, scope, earlierTries }: Job, retry: Retry): void {
    const { outcome, delayMs, askedMs } = retry;
    const what = describeOutcome(outcome);
    noteEarlierTry(earlierTries, { what, pauseMs: delayMs, mayHaveArrived: mayHaveArrived(outcome) });
    scope.note(`last: ${what}`, earlierTries);
    if (outcome.kind === "answer" && outcome.status === 429 && askedMs !== undefined) {
      this.#gate.close(operation.pool, this.#parts.clock.monotonic(), delayMs);
    }
    this.#news.tell(call.operation, what, retry);
  }

  #conclude(job: Job, { outcome, verdict, attempts }: LastTry): TransportResponse {
    const { baseUrl, proxy, logger } = this.#parts;
    const secrets = this.#secrets(job.request);
    if (outcome.kind === "answer") {
      const note = deprecationNote(outcome.headers, secrets);
      if (note !== undefined) logger[note.level](`Deprecation notice: ${note.text}`);
      const { status, headers, body } = outcome;
      if (verdict.kind === "success") return { status, headers, body, attempts };
    }
    const facts: CallFacts = {
      operation: job.call.operation,
      baseUrl,
      proxy,
      attempts,
      earlierTries: job.earlierTries,
      notRepeated: canSend(job.call.body)
        ? undefined
        : "it was not sent again, for its body can be read only once",
      finalStatuses: job.operation.finalStatuses ?? [],
      secrets,
    };
    throw outcome.kind === "answer" ? statusError(outcome, facts) : networkError(outcome, facts);
  }

  /** What must not be shown of a server's words. */
  #secrets({ headers }: Pick<WireRequest, "headers">): readonly string[] {
    return [...new Set([...secretsIn(headers), ...this.#signer.secrets])];
  }

  #policy(operation: Operation): RetryPolicy {
    const policy = settledPolicy(operation.retry, this.#parts.retry);
    if (this.#answered) return policy;
    return { ...policy, maxRetries: Math.min(policy.maxRetries, this.#parts.firstContactRetries) };
  }

  #limit(pool: PoolName): FifoLimit {
    let limit = this.#limits.get(pool);
    if (limit === undefined) {
      limit = new FifoLimit(this.#parts.poolLimits[pool]);
      this.#limits.set(pool, limit);
    }
    return limit;
  }
}

/** The server learns which repeat it sees, unless the caller has set that header. */
function withRetryCount(request: WireRequest, call: TinkexCall, retries: number): WireRequest {
  const name = "x-stainless-retry-count";
  if (Object.keys(call.headers ?? {}).some((given) => given.toLowerCase() === name)) return request;
  const headers = request.headers.slice();
  setHeader(headers, name, String(retries));
  return { ...request, headers };
}
