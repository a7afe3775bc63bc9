import { ConnectionError, TimeoutError } from "@tinkex/base";
import { errorCode } from "./error-code.js";
import type { CallFacts } from "./status-error.js";
import type { Broken, TimedOut } from "./try-outcome.js";

/** What a code means to the reader of a message. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "is the server running, and TINKER_BASE_URL right?",
  ENOTFOUND: "there is no such host; is TINKER_BASE_URL right?",
  EAI_AGAIN: "the name could not be looked up; is this machine online?",
  EHOSTUNREACH: "there is no way to that host; is this machine online?",
  ENETUNREACH: "there is no way to that network; is this machine online?",
  UND_ERR_CONNECT_TIMEOUT:
    "nothing answers there; is TINKER_BASE_URL right, and is a proxy or firewall in the way?",
  EMPTY_400: "the proxy in front of the service answered 400 with an empty body",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut short",
  Z_BUF_ERROR: "the answer was cut short",
  ERR_SSL_WRONG_VERSION_NUMBER: "no TLS is spoken there; should TINKER_BASE_URL begin with http://?",
};

/** What undici says when a proxy refuses to make a tunnel. */
const TUNNEL_REFUSED = /^Proxy response \((\d+)\)/;

/** Codes of a certificate that Node does not trust. */
const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_)/;

/** Failures in which no connection came about at all. */
export const NOT_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** The error for a call whose last try had no answer. */
export function networkError(outcome: Broken | TimedOut, facts: CallFacts): ConnectionError | TimeoutError {
  const { operation, attempts, earlierTries } = facts;
  const baseUrl = whereTo(outcome, facts);
  const tries = attempts === 1 ? "" : ` after ${attempts} tries`;
  const once = facts.notRepeated === undefined ? "" : `; ${facts.notRepeated}`;
  if (outcome.kind === "timed_out") {
    return new TimeoutError(
      `${operation} at ${baseUrl} waited ${outcome.limitMs} ms for ${outcome.waitingFor}${tries}${once}`,
      { timeoutMs: outcome.limitMs, attempts, earlierTries },
    );
  }
  const cause = withoutBytes(outcome.cause);
  const code = errorCode(cause);
  const explanation = explain(cause, facts.proxy !== undefined);
  const what =
    code !== undefined && NOT_CONNECTED.test(code)
      ? `could not connect to ${baseUrl}`
      : `the connection to ${baseUrl} failed`;
  return new ConnectionError(
    `${what} (${faultWord(cause)}) for ${operation}${tries}${explanation === undefined ? "" : `; ${explanation}`}${once}`,
    { attempts, earlierTries, cause },
  );
}

function whereTo({ redirectedTo }: Broken | TimedOut, { baseUrl, proxy }: CallFacts): string {
  if (redirectedTo !== undefined) return `${redirectedTo}, where ${baseUrl} redirects to,`;
  return proxy === undefined ? baseUrl : `${baseUrl} through the proxy ${proxy}`;
}

/** A parser's error holds the bytes that it could not read, which may quote what was sent. */
function withoutBytes(cause: unknown): unknown {
  if (cause instanceof Error && "data" in cause) delete cause.data;
  return cause;
}

function explain(cause: unknown, isProxied: boolean): string | undefined {
  const code = errorCode(cause);
  if (code === undefined) return undefined;
  if (refusedTunnel(cause) === "407") return "give its user name and password in its address (HTTPS_PROXY)";
  if (isProxied && NOT_CONNECTED.test(code))
    return "is the proxy's address (HTTPS_PROXY or HTTP_PROXY) right?";
  return UNTRUSTED.test(code)
    ? "its certificate is not trusted; give that of its authority as the option ca, or in NODE_EXTRA_CA_CERTS"
    : EXPLANATIONS[code];
}

/** A failure of the network in a word: its code where it has one. */
export function faultWord(cause: unknown): string {
  const status = refusedTunnel(cause);
  if (status !== undefined) return `the proxy answered ${status}`;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : "unknown reason");
}

/** The status with which a proxy refused a tunnel. */
function refusedTunnel(cause: unknown): string | undefined {
  return cause instanceof Error ? TUNNEL_REFUSED.exec(cause.message)?.[1] : undefined;
}
