import { Readable } from "node:stream";
import { TinkexError } from "@tinkex/base";
import type { Dispatcher } from "undici";
import { isStreamed, readStreamed } from "../body/streamed-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import type { WireRequest } from "../request/wire-request.js";
import type { DispatcherLike } from "../transport-options.js";
import { anyMajorHandler } from "./any-major-handler.js";
import { type Asker, type ConnectionSettings, connectionOptions } from "./connection-options.js";
import { ConnectionPool } from "./connection-pool.js";
import { FetchSender } from "./fetch-sender.js";
import { loadUndici, type Undici } from "./load-undici.js";
import { runtimeFetch } from "./runtime-fetch.js";
import type { Sender } from "./sender.js";
import { UndiciTry } from "./undici-try.js";

/** Options of {@link UndiciSender}. */
export interface SenderOptions extends ConnectionSettings {
  /** Carries everything in place of our own connections; whoever made it closes it. */
  readonly dispatcher: DispatcherLike | undefined;
}

/** The connections for one kind of traffic to one origin. */
interface Connections {
  readonly dispatcher: ConnectionPool;
  readonly asker: Asker;
}

/** Sends over undici, one set of connections per kind of traffic, or over the runtime's fetch where there is no undici. */
export class UndiciSender implements Sender {
  readonly #options: SenderOptions;
  readonly #pools = new Map<string, Connections>();
  /** On the way out, with requests still under way. */
  readonly #retiring = new Set<ConnectionPool>();
  #undici: Undici | undefined;
  /** Sends in place of undici where there is none. */
  #substitute: FetchSender | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(request: WireRequest, lifetime: CallLifetime): Promise<TryOutcome> {
    const { dispatcher } = this.#options;
    if (dispatcher !== undefined) {
      return dispatch({ dispatcher, asker: { current: undefined } }, request, lifetime, anyMajorHandler);
    }
    if (this.#undici !== undefined) {
      const known = this.#pools.get(poolKey(request));
      return dispatch(known ?? this.#makeConnections(this.#undici, request), request, lifetime);
    }
    if (this.#substitute !== undefined) return this.#substitute.send(request, lifetime);
    return lifetime.outlast(this.#load()).then(() => {
      lifetime.check();
      return this.send(request, lifetime);
    });
  }

  renew(request: WireRequest): void {
    const key = poolKey(request);
    const old = this.#pools.get(key)?.dispatcher;
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
    const current = Array.from(this.#pools.values(), ({ dispatcher }) => dispatcher);
    const all = [...current, ...this.#retiring];
    this.#pools.clear();
    this.#retiring.clear();
    await Promise.all(all.map((pool) => pool.destroy()));
  }

  async #load(): Promise<void> {
    this.#undici = await loadUndici();
    if (this.#undici === undefined) this.#substitute ??= new FetchSender(runtimeFetch(this.#options));
  }

  #makeConnections(undici: Undici, request: WireRequest): Connections {
    const asker: Asker = { current: undefined };
    const { origin } = request;
    const options = connectionOptions(undici, origin, this.#options, asker);
    const made = { dispatcher: new ConnectionPool(() => new undici.Client(origin, options)), asker };
    this.#pools.set(poolKey(request), made);
    return made;
  }
}

function poolKey({ pool, origin }: WireRequest): string {
  return `${pool} ${origin}`;
}

/** @param adapt - gives the handler the form that a dispatcher of another major takes */
function dispatch(
  { dispatcher, asker }: { readonly dispatcher: DispatcherLike; readonly asker: Asker },
  request: WireRequest,
  lifetime: CallLifetime,
  adapt?: (handler: UndiciTry) => Dispatcher.DispatchHandler,
): Promise<TryOutcome> {
  return lifetime.during(({ resolve, reject }) => {
    const settle = (outcome: TryOutcome): void => {
      // An error of our own, about the request's body or the answer's, is no failure of the network.
      if (outcome.kind === "broken" && TinkexError.isInstance(outcome.cause)) reject(outcome.cause);
      else resolve(outcome);
    };
    const attempt = new UndiciTry(request, settle, lifetime);
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
    asker.current = attempt;
    try {
      dispatcher.dispatch(options, adapt === undefined ? attempt : adapt(attempt));
    } catch (error) {
      attempt.drop();
      reject(error);
    } finally {
      asker.current = undefined;
    }
    return () => attempt.drop();
  });
}
