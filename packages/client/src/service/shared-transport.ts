import { ClosedError, type TransportResponse } from "@tinkex/base";
import type { TinkexCall, TinkexTransport, TransportStats } from "@tinkex/http";
import { type Share, SharedResources } from "./shared-resources.js";

const TRANSPORTS = new SharedResources<TinkexTransport>();

/**
 * One client's share in the connections, limits and pauses of all clients that come to the same server with the same credentials and
 * settings: a service that asks one of them to wait asks all.
 */
export class SharedTransport implements TinkexTransport {
  readonly #share: Share<TinkexTransport>;
  readonly #transport: TinkexTransport;
  #isClosed = false;
  /** The shared one's own, until this client is closed. */
  call: (call: TinkexCall) => Promise<TransportResponse>;

  /** @param key - what `make` makes it of; `undefined` for one of its own */
  constructor(key: string | undefined, make: () => TinkexTransport) {
    this.#share = TRANSPORTS.acquire(key, make);
    this.#transport = this.#share.value;
    this.call = this.#transport.call.bind(this.#transport);
  }

  useTokens(): void {
    this.#transport.useTokens();
  }

  identityToken(): Promise<string | undefined> {
    return this.#transport.identityToken();
  }

  /** Counts those of all who share it. */
  stats(): TransportStats {
    return this.#transport.stats();
  }

  shownText(text: string): string {
    return this.#transport.shownText(text);
  }

  /** Takes no more calls. The last one to close ends what is under way, and lets all sockets go; a client ends its own calls itself. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.call = async ({ operation }) => {
      throw new ClosedError(`${operation}: the client is closed`);
    };
    if (this.#share.release()) await this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
