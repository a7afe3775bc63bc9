import { ConnectionError, TimeoutError } from "@tinkex/base";
import { shownText } from "../hooks/shown-text.js";
import { errorCode } from "./error-code.js";
import type { CallFacts } from "./status-error.js";
import type { Broken, TimedOut, TryOutcome } from "./try-outcome.js";
import { TunnelError } from "./tunnel-error.js";
import { UnreadableAnswer } from "./unreadable-answer.js";

/** Meaning of a code to the reader of a message. */
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

/** Message of a `ProxyAgent` of undici, which a user may bring, when a proxy refuses to make a tunnel. */
const TUNNEL_REFUSED = /^Proxy response \((\d+)\)/;

/** Codes of a certificate that Node does not trust. */
const UNTRUSTED = /^(SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_)/;

/** Codes of failures in which no connection came about at all. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Tells whether a failure says that no connection to the service came about, so that nothing can have reached it. */
export function isNotConnected(cause: unknown): boolean {
  return cause instanceof TunnelError || NOT_CONNECTED.test(errorCode(cause) ?? "");
}

/** Tells whether a proxy wants a user name and a password, or others than it was given. */
export function isLoginRefused(cause: unknown): boolean {
  return cause instanceof TunnelError ? cause.isLoginRefused : refusedTunnel(cause) === 407;
}

/** Makes the error for a call whose last try had no answer. */
export function networkError(outcome: Broken | TimedOut, facts: CallFacts): ConnectionError | TimeoutError {
  const { operation, attempts, earlierTries, mayHaveArrived } = facts;
  const baseUrl = whereTo(outcome, facts);
  const tries = attempts === 1 ? "" : ` after ${attempts} tries`;
  const once = facts.notRepeated === undefined ? "" : `; ${facts.notRepeated}`;
  if (outcome.kind === "timed_out") {
    return new TimeoutError(
      `${operation} at ${baseUrl} waited ${outcome.limitMs} ms for ${outcome.waitingFor}${tries}${once}`,
      { timeoutMs: outcome.limitMs, attempts, earlierTries, mayHaveArrived },
    );
  }
  const cause =
    outcome.redirectedTo === undefined ? withoutBytes(outcome.cause) : inOurWords(outcome.cause, facts);
  const explanation = explain(cause, facts.proxy !== undefined);
  const what = isNotConnected(cause)
    ? `could not connect to ${baseUrl}`
    : `the connection to ${baseUrl} failed`;
  return new ConnectionError(
    `${what} (${faultWord(cause)}) for ${operation}${tries}${explanation === undefined ? "" : `; ${explanation}`}${once}`,
    { attempts, earlierTries, mayHaveArrived, cause },
  );
}

function whereTo({ redirectedTo }: Broken | TimedOut, { baseUrl, proxy, secrets }: CallFacts): string {
  if (redirectedTo !== undefined)
    return `${shownText(redirectedTo, secrets)}, where ${baseUrl} redirects to,`;
  return proxy === undefined ? baseUrl : `${baseUrl} through the proxy ${proxy}`;
}

/** The failure of a place that a server has named: its name may quote what that server was sent. */
function inOurWords(cause: unknown, { secrets }: CallFacts): unknown {
  if (!(cause instanceof Error)) return undefined;
  const code = errorCode(cause);
  return Object.assign(new Error(shownText(cause.message, secrets)), code === undefined ? {} : { code });
}

/** The socket's error of a try that had no answer, unless a server named the place where it failed. */
export function causeOf(outcome: TryOutcome): unknown {
  return outcome.kind === "broken" && outcome.redirectedTo === undefined
    ? withoutBytes(outcome.cause)
    : undefined;
}

/** A parser's error holds the bytes that it could not read, which may quote what was sent. */
function withoutBytes(cause: unknown): unknown {
  if (cause instanceof Error && "data" in cause) delete cause.data;
  return cause;
}

function explain(cause: unknown, isProxied: boolean): string | undefined {
  if (cause instanceof UnreadableAnswer)
    return "is TINKER_BASE_URL right, and does a proxy answer in its place?";
  const code = errorCode(cause);
  if (code === undefined) return undefined;
  if (isLoginRefused(cause))
    return cause instanceof TunnelError && cause.hadLogin
      ? "it did not take the user name and password in its address (HTTPS_PROXY)"
      : "give its user name and password in its address (HTTPS_PROXY)";
  if (UNTRUSTED.test(code)) {
    return "its certificate is not trusted; give that of its authority as the option ca, or in NODE_EXTRA_CA_CERTS";
  }
  if (isProxied && isNotConnected(cause) && refusedTunnel(cause) === undefined && code !== "PROXY_REFUSED")
    return "is the proxy's address (HTTPS_PROXY or HTTP_PROXY) right?";
  return EXPLANATIONS[code];
}

/** Names a failure of the network in a word: its code where it has one. */
export function faultWord(cause: unknown): string {
  const status = refusedTunnel(cause);
  if (status !== undefined) return `the proxy answered ${status}`;
  if (cause instanceof TunnelError) return cause.message;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : "unknown reason");
}

/** The status with which a proxy refused a tunnel. */
function refusedTunnel(cause: unknown): number | undefined {
  if (cause instanceof TunnelError) return cause.status;
  const [, status] = cause instanceof Error ? (TUNNEL_REFUSED.exec(cause.message) ?? []) : [];
  return status === undefined ? undefined : Number(status);
}

/** Describes the end of a try in a few words, for log lines, hooks and the list of earlier tries. */
export function describeOutcome(outcome: TryOutcome): string {
  switch (outcome.kind) {
    case "answer":
      return `answered ${outcome.status}`;
    case "timed_out":
      return `waited ${outcome.limitMs} ms for ${outcome.waitingFor}`;
    case "broken":
      return faultWord(outcome.cause);
  }
}
