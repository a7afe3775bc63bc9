import type { buildConnector, Dispatcher, Pool } from "undici";
import type { CallScope } from "./call-scope.js";
import type { Sender } from "./sender.js";
import { watchForStaleness } from "./stale-connection.js";
import type { TryOutcome } from "./try-outcome.js";
import { UndiciTry } from "./undici-try.js";
import type { WireRequest } from "./wire-request.js";

/** How connections are made and kept. */
export interface ConnectionOptions {
  /** Limit for making a connection, TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long an unused connection is kept, in milliseconds; longer than the 10 s between two heartbeats. */
  readonly keepAliveMs: number;
}

type Undici = typeof import("undici");

/** Sends over undici, one pool of connections per kind of traffic. undici is loaded at the first request. */
export class UndiciSender implements Sender {
  readonly #options: ConnectionOptions;
  readonly #pools = new Map<string, Pool>();
  /** Pools on the way out, with requests still under way. */
  readonly #retiring = new Set<Pool>();
  #undici: Undici | undefined;
  #loading: Promise<Undici> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  send(request: WireRequest, scope: CallScope): Promise<TryOutcome> {
    if (this.#undici !== undefined) return this.#dispatch(this.#undici, request, scope);
    return scope.outlast(this.#load()).then((undici) => this.#dispatch(undici, request, scope));
  }

  renew(request: WireRequest): void {
    const key = poolKey(request);
    const old = this.#pools.get(key);
    if (old === undefined) return;
    this.#pools.delete(key);
    this.#retiring.add(old);
    old.close().then(
      () => this.#retiring.delete(old),
      () => this.#retiring.delete(old),
    );
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

  #dispatch(undici: Undici, request: WireRequest, scope: CallScope): Promise<TryOutcome> {
    return scope.during(({ resolve, reject }) => {
      const attempt = new UndiciTry(request, resolve);
      const { path, method, body } = request;
      // undici only reads the list.
      const headers = request.headers as string[];
      try {
        this.#pool(undici, request).dispatch(
          { path, method: method as Dispatcher.HttpMethod, headers, body: body ?? null },
          attempt,
        );
      } catch (error) {
        attempt.drop();
        reject(error);
      }
      return () => attempt.drop();
    });
  }

  #pool(undici: Undici, request: WireRequest): Pool {
    const key = poolKey(request);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new undici.Pool(request.origin, {
        connect: connectorOf(undici, this.#options),
        connections: null,
        pipelining: 1,
        keepAliveTimeout: this.#options.keepAliveMs,
        keepAliveMaxTimeout: 2 * this.#options.keepAliveMs,
        // Our own limits rule; undici's would cut in at 300 s.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      this.#pools.set(key, pool);
    }
    return pool;
  }
}

function poolKey({ pool, origin }: WireRequest): string {
  return `${pool} ${origin}`;
}

function connectorOf(undici: Undici, options: ConnectionOptions): buildConnector.connector {
  // The option type joins three kinds of socket and so asks for a port, which comes with each target.
  const settings = {
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
  } as buildConnector.BuildOptions;
  const connect = undici.buildConnector(settings);
  return (target, done) =>
    connect(target, (...outcome) => {
      if (outcome[0] === null) watchForStaleness(outcome[1]);
      done(...outcome);
    });
}
