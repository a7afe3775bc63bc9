import { MAX_REDIRECTS, ResponseError } from "@tinkex/base";
import { canSend } from "../body/streamed-body.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import { shownText } from "../hooks/shown-text.js";
import type { CallLifetime } from "../limits/call-lifetime.js";
import { filterHeaders } from "../request/header-list.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "../send/sender.js";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see of a request's headers. */
const PUBLIC_HEADERS = ["accept", "accept-encoding", "user-agent", "range"];
const BODY_HEADERS = /^content-/;

/** Means to send a request on. */
export interface RedirectMeans {
  readonly lifetime: CallLifetime;
  readonly sender: Sender;
  /** Credentials that must not be shown of a server's words. */
  readonly secrets: () => readonly string[];
}

/**
 * Goes where an answer sends a request on, until there is one to keep.
 *
 * @param answer - of `request`; without a `location` it is an answer like any other
 * @throws ResponseError for a redirect that must not be followed; the interruption that ends the call
 */
export async function followRedirects(
  request: WireRequest,
  answer: Answer,
  { lifetime, sender, secrets }: RedirectMeans,
): Promise<TryOutcome> {
  let current = request;
  let outcome: TryOutcome = answer;
  for (let hops = 0; outcome.kind === "answer" && isRedirect(outcome); hops += 1) {
    if (hops === MAX_REDIRECTS) {
      throw new ResponseError(`${request.origin} redirects more than ${MAX_REDIRECTS} times`);
    }
    current = redirectedRequest(current, outcome, secrets());
    outcome = await sender.send(current, lifetime);
  }
  return outcome.kind === "answer" ? outcome : { ...outcome, redirectedTo: current.origin };
}

function isRedirect({ status, headers }: Answer): boolean {
  return REDIRECTS.has(status) && headers.location !== undefined;
}

/**
 * Builds the request that a redirect asks for. After 301, 302 and 303 whatever was sent becomes a GET without a body. Another
 * origin (scheme, host, port) gets no credential, no key of ours and no body.
 *
 * @param secrets - credentials that must not be shown of the place
 * @throws ResponseError for a place that must not be gone to
 */
export function redirectedRequest(
  request: WireRequest,
  answer: Answer,
  secrets: readonly string[] = [],
): WireRequest {
  const from = new URL(request.path, request.origin);
  const refuse = (why: string): never => {
    // After the first redirect the place that redirects is one that a server has named.
    const redirects = shownText(`${request.origin} redirects ${why}`, secrets);
    throw new ResponseError(`${redirects}; is TINKER_BASE_URL right?`);
  };
  let to: URL;
  try {
    to = new URL(answer.headers.location ?? "", from);
  } catch {
    return refuse("to something that is not a URL");
  }
  if (to.protocol !== "https:" && to.protocol !== "http:") return refuse(`to ${to.protocol}`);
  if (from.protocol === "https:" && to.protocol === "http:") return refuse("from https to http");
  const sameOrigin = to.origin === from.origin;
  const repeats = answer.status === 307 || answer.status === 308;
  if (repeats && !sameOrigin && request.body !== undefined)
    return refuse(`a body to another server, ${to.origin}`);
  if (repeats && !canSend(request.body)) return refuse("a body that can be read only once");
  return {
    ...request,
    method: repeats || request.method === "GET" ? request.method : "GET",
    origin: to.origin,
    path: to.pathname + to.search,
    headers: filterHeaders(
      request.headers,
      (name) => (sameOrigin || PUBLIC_HEADERS.includes(name)) && (repeats || !BODY_HEADERS.test(name)),
    ),
    body: repeats ? request.body : undefined,
  };
}
