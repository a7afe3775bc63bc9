import { MAX_REDIRECTS, ResponseError } from "@tinkex/base";
import type { Dispatcher } from "undici";
import { isSecret } from "../hooks/secrets.js";
import { shownText } from "../hooks/shown-text.js";
import { PendingConnections } from "../send/connect.js";
import {
  type ConnectionSettings,
  connectionOptions,
  DEFAULT_CONNECTIONS,
} from "../send/connection-options.js";
import { loadUndici } from "../send/load-undici.js";
import type { ProxySettings } from "../send/proxy.js";
import { runtimeFetch } from "../send/runtime-fetch.js";
import { VERSION } from "../version.js";

type Headers = Record<string, string>;

/** Most bytes of a body that are read to keep its connection; a longer one is broken off. */
const MAX_DISCARDED_BYTES = 128 * 1024;

/** Reason of undici's errors for requests that nobody waits for any more. */
const CLOSED = new Error("the download is over");

/** The server's answer to a request for a piece of a file. */
export interface DownloadAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Lets the body go unread. */
  discard(): Promise<void>;
}

/** Sends the requests of one download, without any header of ours that tells who we are. */
export class DownloadRequests {
  readonly #connections: ConnectionSettings;
  readonly #pools = new Map<string, Dispatcher>();
  readonly #pending: PendingConnections[] = [];
  readonly #secrets = new Set<string>();

  constructor(options: {
    readonly proxy?: ProxySettings | undefined;
    readonly ca?: string | readonly string[] | undefined;
  }) {
    this.#connections = {
      ...DEFAULT_CONNECTIONS,
      ca: options.ca,
      http2: false,
      proxy: options.proxy ?? {},
    };
  }

  /** Signatures and passwords of the addresses that were asked and sent on to. */
  get secrets(): readonly string[] {
    return [...this.#secrets].filter(isSecret);
  }

  /**
   * Goes where it is sent on.
   *
   * @throws ResponseError for a redirect that must not be followed
   */
  async send(
    url: string,
    range: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<DownloadAnswer> {
    const headers = {
      accept: "*/*",
      "accept-encoding": "identity",
      "user-agent": `Tinkex/JS ${VERSION}`,
      ...range,
    };
    let place = new URL(url);
    for (let hops = 0; ; hops += 1) {
      const { origin } = place;
      for (const secret of secretParts(place)) this.#secrets.add(secret);
      const pool = await this.#pool(origin);
      const response =
        pool === undefined
          ? await this.#fetched(place, headers, signal)
          : await requested(pool, place, headers, signal);
      const { location } = response.headers;
      if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== "string") {
        return response;
      }
      await response.discard();
      if (hops === MAX_REDIRECTS) {
        throw new ResponseError(`the download is redirected more than ${MAX_REDIRECTS} times`);
      }
      place = nextPlace(location, place, this.secrets);
    }
  }

  async close(): Promise<void> {
    const destroyed = Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
    for (const pending of this.#pending) pending.abandon(CLOSED);
    await destroyed;
  }

  /** The connections to an origin; `undefined` where there is no undici. */
  async #pool(origin: string): Promise<Dispatcher | undefined> {
    const undici = await loadUndici();
    let pool = this.#pools.get(origin);
    if (pool === undefined && undici !== undefined) {
      const options = connectionOptions(undici, origin, this.#connections);
      const pending = new PendingConnections(options.connect);
      pool = new undici.Pool(origin, { ...options, connect: pending.connect });
      this.#pending.push(pending);
      this.#pools.set(origin, pool);
    }
    return pool;
  }

  async #fetched(place: URL, headers: Headers, signal: AbortSignal): Promise<DownloadAnswer> {
    const response = await runtimeFetch(this.#connections)(place, { headers, signal, redirect: "manual" });
    const { body } = response;
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: body ?? [],
      discard: async () => body?.cancel(),
    };
  }
}

async function requested(
  pool: Dispatcher,
  { origin, pathname, search }: URL,
  headers: Headers,
  signal: AbortSignal,
): Promise<DownloadAnswer> {
  const {
    statusCode,
    headers: received,
    body,
  } = await pool.request({
    origin,
    path: pathname + search,
    method: "GET",
    headers,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    statusCode,
    headers: received,
    body,
    discard: () => body.dump({ limit: MAX_DISCARDED_BYTES, signal }),
  };
}

/** Place that a redirect leads to. Of what it says the protocol alone is quoted: the rest may hold a signature. */
function nextPlace(location: string, from: URL, secrets: readonly string[]): URL {
  const refuse = (where: string): never => {
    throw new ResponseError(`the download is redirected ${shownText(where, secrets)}, which is refused`);
  };
  if (!URL.canParse(location, from.href)) return refuse("to something that is not a URL");
  const to = new URL(location, from);
  if (to.protocol !== "https:" && to.protocol !== "http:") return refuse(`to ${to.protocol}`);
  if (to.protocol === "http:" && from.protocol === "https:") return refuse("from https to http");
  return to;
}

/** The parts of an address that may be secret, as they stand there and decoded. */
function secretParts({ search, searchParams, username, password }: URL): string[] {
  const asSent = search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [
    ...searchParams.values(),
    ...[...asSent, username, password].flatMap((part) => [part, decoded(part)]),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
