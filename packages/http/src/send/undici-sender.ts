import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { readStreamed, type StreamedBody } from "../body/streamed-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import type { PoolName } from "../operations/policy.js";
import type { WireRequest } from "../request/wire-request.js";
import type { DispatcherLike } from "../transport-options.js";
import { anyMajorHandler } from "./any-major-handler.js";
import { type ConnectionSettings, connectionOptions } from "./connection-options.js";
import { ConnectionPool } from "./connection-pool.js";
import { FetchSender } from "./fetch-sender.js";
import { loadUndiciParts, type UndiciParts } from "./load-undici.js";
import { runtimeFetch } from "./runtime-fetch.js";
import type { Sender } from "./sender.js";
import { UndiciTry } from "./undici-try.js";

/** Options of {@link UndiciSender}. */
export interface SenderOptions extends ConnectionSettings {
  /** Carries everything in place of our own connections; whoever made it closes it. */
  readonly dispatcher: DispatcherLike | undefined;
}

/** Sends over undici, one set of connections for each kind of traffic that must not wait for another, or over the runtime's fetch where there is no undici. */
export class UndiciSender implements Sender {
  readonly #options: SenderOptions;
  /** By origin, and by kind of traffic where that has its own. */
  readonly #pools = new Map<string, ConnectionPool>();
  /** On the way out, with requests still under way. */
  readonly #retiring = new Set<ConnectionPool>();
  #undici: UndiciParts | undefined;
  /** Sends in place of undici where there is none. */
  #substitute: FetchSender | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(request: WireRequest, lifetime: CallLifetime): Promise<TryOutcome> {
    const { dispatcher } = this.#options;
    if (dispatcher !== undefined) {
      const dispatch: Dispatch = (options, attempt) => dispatcher.dispatch(options, anyMajorHandler(attempt));
      return exchange({ dispatch }, request, lifetime);
    }
    if (this.#undici !== undefined) {
      const pool = this.#pools.get(poolKey(request)) ?? this.#makePool(this.#undici, request);
      return exchange(pool, request, lifetime);
    }
    if (this.#substitute !== undefined) return this.#substitute.send(request, lifetime);
    return lifetime.outlast(this.#load()).then(() => {
      lifetime.check();
      return this.send(request, lifetime);
    });
  }

  get sockets(): number | undefined {
    if (this.#options.dispatcher !== undefined || this.#substitute !== undefined) return undefined;
    let count = 0;
    for (const pool of this.#pools.values()) count += pool.size;
    for (const pool of this.#retiring) count += pool.size;
    return count;
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

  async #load(): Promise<void> {
    this.#undici = await loadUndiciParts();
    if (this.#undici === undefined) this.#substitute ??= new FetchSender(runtimeFetch(this.#options));
  }

  #makePool(undici: UndiciParts, request: WireRequest): ConnectionPool {
    const { origin, isBackground } = request;
    const options = connectionOptions(undici, origin, this.#options, isBackground);
    const pool = new ConnectionPool(
      (connect) => new undici.Client(origin, { ...options, connect }),
      options.connect,
    );
    this.#pools.set(poolKey(request), pool);
    return pool;
  }
}

/** Kinds of traffic whose requests follow one another, and so share connections: a sample's, and the polls for its result. */
const SHARED: readonly PoolName[] = ["train", "sample", "poll"];

function poolKey({ pool, origin, isBackground }: WireRequest): string {
  if (isBackground) return `${pool} ${origin} background`;
  return SHARED.includes(pool) ? origin : `${pool} ${origin}`;
}

type Dispatch = (options: Dispatcher.DispatchOptions, attempt: UndiciTry) => void;

function streamOf(body: StreamedBody): Readable {
  return Readable.from(readStreamed(body), { objectMode: false });
}

/** Sends one request, and waits until its answer is whole. */
function exchange(
  dispatcher: { readonly dispatch: Dispatch },
  request: WireRequest,
  lifetime: CallLifetime,
): Promise<TryOutcome> {
  return new Promise((resolve, reject) => {
    lifetime.check();
    const attempt = new UndiciTry(request, { resolve, reject }, lifetime);
    const { origin, path, body } = request;
    const options: Dispatcher.DispatchOptions = {
      origin,
      path,
      method: request.method as Dispatcher.HttpMethod,
      // undici only reads the list.
      headers: request.headers as string[],
      body: body === undefined || body instanceof Uint8Array ? (body ?? null) : streamOf(body),
      // HTTP/2 lets requests share a connection only if they may be repeated; ours are by their key or sequence id.
      idempotent: true,
      // Our own limits rule; undici's would cut in at 300 s.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    try {
      dispatcher.dispatch(options, attempt);
    } catch (error) {
      attempt.drop();
      reject(error);
    }
    lifetime.onInterrupt = (failure) => {
      reject(failure);
      attempt.drop();
    };
  });
}
