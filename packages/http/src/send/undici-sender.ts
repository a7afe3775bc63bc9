import { Readable } from "node:stream";
import type { Clock } from "@tinkex/types/base";
import type { buildConnector, Dispatcher } from "undici";
import { isStreamed, RequestBodyError, readStreamed } from "../body/streamed-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { WireRequest } from "../request/wire-request.js";
import type { DispatcherLike } from "../transport-options.js";
import { anyMajorHandler } from "./any-major-handler.js";
import { type ProxySettings, proxyFor } from "./proxy.js";
import type { Sender } from "./sender.js";
import { watchForStaleness } from "./stale-connection.js";
import { UndiciTry } from "./undici-try.js";

/** How connections are made and kept. */
export interface ConnectionOptions {
  /** Limit for making a connection, TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long an unused connection is kept, in milliseconds; longer than the 10 s between two heartbeats. */
  readonly keepAliveMs: number;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca: string | readonly string[] | undefined;
  /** Whether to speak HTTP/2 where a server offers it over TLS. */
  readonly http2: boolean;
  readonly proxy: ProxySettings;
  readonly clock: Clock;
  /** Carries everything in place of our own connections; whoever made it closes it. */
  readonly dispatcher: DispatcherLike | undefined;
}

type Undici = typeof import("undici");

/** Most requests that share one HTTP/2 connection. */
const HTTP2_STREAMS = 100;
/** How often idle pools are looked for, in milliseconds; at a request, so that no timer is needed. */
const SWEEP_MS = 60_000;

/** Sends over undici, one set of connections per kind of traffic. undici is loaded at the first request. */
export class UndiciSender implements Sender {
  readonly #options: ConnectionOptions;
  readonly #pools = new Map<string, Dispatcher>();
  /** On the way out, with requests still under way. */
  readonly #retiring = new Set<Dispatcher>();
  #undici: Undici | undefined;
  #loading: Promise<Undici> | undefined;
  #closing: Promise<void> | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  send(request: WireRequest, scope: CallScope): Promise<TryOutcome> {
    const { dispatcher } = this.#options;
    if (dispatcher !== undefined) return dispatch(dispatcher, request, scope, anyMajorHandler);
    if (this.#undici !== undefined) return dispatch(this.#pool(this.#undici, request), request, scope);
    return scope.outlast(this.#load()).then((undici) => {
      scope.check();
      return dispatch(this.#pool(undici, request), request, scope);
    });
  }

  renew(request: WireRequest): void {
    const key = poolKey(request);
    const old = this.#pools.get(key);
    if (old === undefined) return;
    this.#pools.delete(key);
    this.#retiring.add(old);
    const forget = (): boolean => this.#retiring.delete(old);
    old.close().then(forget, forget);
  }

  close(): Promise<void> {
    this.#closing ??= this.#destroyAll();
    return this.#closing;
  }

  async #destroyAll(): Promise<void> {
    const all = [...this.#pools.values(), ...this.#retiring];
    this.#pools.clear();
    this.#retiring.clear();
    await Promise.all(all.map((pool) => pool.destroy()));
  }

  async #load(): Promise<Undici> {
    // Importing undici takes a tenth of a second: a program that sends nothing does not pay for it.
    this.#loading ??= import("undici");
    this.#undici = await this.#loading;
    return this.#undici;
  }

  #pool(undici: Undici, request: WireRequest): Dispatcher {
    const now = this.#options.clock.monotonic();
    if (now - this.#sweptAt > SWEEP_MS) this.#sweep(undici, now);
    const key = poolKey(request);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = makePool(undici, request.origin, this.#options);
      this.#pools.set(key, pool);
    }
    return pool;
  }

  /** Lets go of pools whose connections have all ended: after a burst they hold a client for each there once was. */
  #sweep(undici: Undici, now: number): void {
    this.#sweptAt = now;
    for (const [key, pool] of this.#pools) {
      if (!(pool instanceof undici.Pool) || pool.stats.connected > 0 || pool.stats.size > 0) continue;
      this.#pools.delete(key);
      pool.destroy().catch(() => {});
    }
  }
}

function poolKey({ pool, origin }: WireRequest): string {
  return `${pool} ${origin}`;
}

function dispatch(
  dispatcher: DispatcherLike,
  request: WireRequest,
  scope: CallScope,
  adapt: (handler: UndiciTry) => Dispatcher.DispatchHandler = (handler) => handler,
): Promise<TryOutcome> {
  return scope.during(({ resolve, reject }) => {
    const attempt = new UndiciTry(request, (outcome) => {
      if (outcome.kind === "broken" && outcome.cause instanceof RequestBodyError) reject(outcome.cause);
      else resolve(outcome);
    });
    const { origin, path, body } = request;
    const options: Dispatcher.DispatchOptions = {
      origin,
      path,
      method: request.method as Dispatcher.HttpMethod,
      // undici only reads the list.
      headers: request.headers as string[],
      body: isStreamed(body) ? Readable.from(readStreamed(body), { objectMode: false }) : (body ?? null),
      // HTTP/2 lets requests share a connection only if they may be repeated; ours are by their key or sequence id.
      idempotent: true,
      // Our own limits rule; undici's would cut in at 300 s.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    try {
      dispatcher.dispatch(options, adapt(attempt));
    } catch (error) {
      attempt.drop();
      reject(error);
    }
    return () => attempt.drop();
  });
}

function makePool(undici: Undici, origin: string, options: ConnectionOptions): Dispatcher {
  const { connectTimeoutMs, keepAliveMs, http2, ca } = options;
  const tls = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] };
  const shared = {
    connections: null,
    pipelining: http2 ? HTTP2_STREAMS : 1,
    allowH2: http2,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 2 * keepAliveMs,
  };
  const proxy = proxyFor(origin, options.proxy);
  if (proxy !== undefined) {
    return new undici.ProxyAgent({
      ...shared,
      uri: proxy,
      requestTls: { ...tls, timeout: connectTimeoutMs },
    });
  }
  const settings = { ...tls, timeout: connectTimeoutMs, allowH2: http2, autoSelectFamily: true };
  // The option type joins three kinds of socket and so asks for a port, which comes with each target.
  const connect = undici.buildConnector(settings as buildConnector.BuildOptions);
  return new undici.Pool(origin, {
    ...shared,
    connect: (target, done) =>
      connect(target, (...outcome) => {
        if (outcome[0] === null) watchForStaleness(outcome[1]);
        done(...outcome);
      }),
  });
}
