import type { HttpTransport, TransportCall, TransportResponse } from "@tinkex/base";
import type { RequestBody } from "./body/streamed-body.js";
import type { TrafficCount } from "./limits/traffic.js";
import type { PoolName } from "./operations/policy.js";

/** A call whose body may also be streamed, such as one of {@link multipartBody}. */
export interface TinkexCall extends Omit<TransportCall, "body"> {
  readonly body?: RequestBody;
}

/** Requests and connections of a transport at one moment. */
export interface TransportStats {
  readonly requests: Readonly<Record<PoolName, TrafficCount>>;
  /** Open connections; `undefined` with a `fetch` or dispatcher of the caller's. */
  readonly sockets: number | undefined;
}

/** A transport that can exchange its key for short-lived tokens. `await using` closes it at the end of its block. */
export interface TinkexTransport extends HttpTransport, AsyncDisposable {
  /** As {@link HttpTransport.call}; the body may be streamed. */
  call(call: TinkexCall): Promise<TransportResponse>;
  /**
   * From now on everything but `client_config` and the exchange itself goes with a token instead of the key: for a
   * service whose configuration says `pjwt_auth_enabled`.
   */
  useTokens(): void;
  /**
   * Gives the token that requests are signed with, for what its claims say: the one that was exchanged, or a credential that is one
   * itself; `undefined` for a plain key.
   *
   * @throws CredentialError when the credential cannot be had; what the exchange throws
   */
  identityToken(): Promise<string | undefined>;
  /**
   * Makes a server's words fit for messages and log lines: without the credentials this transport sends, however they are
   * written, with control characters escaped, and cut to 2,000 characters.
   */
  shownText(text: string): string;
  /** Counts requests and connections at this moment. */
  stats(): TransportStats;
}
