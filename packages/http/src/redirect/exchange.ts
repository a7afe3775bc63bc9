import { ResponseError } from "@tinkex/base";
import { decodeBody } from "../body/decode-body.js";
import { canSend } from "../body/streamed-body.js";
import { errorCode } from "../errors/error-code.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import { shownText } from "../hooks/shown-text.js";
import type { CallScope } from "../limits/call-scope.js";
import type { Operation } from "../operations/operations.js";
import { filterHeaders } from "../request/header-list.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "../send/sender.js";

/** zlib's word for data that ends in the middle. */
const CUT_SHORT = "Z_BUF_ERROR";

/** What one try needs besides its request. */
export interface Exchange {
  readonly operation: Operation;
  readonly scope: CallScope;
  readonly sender: Sender;
  /** What must not be shown of a server's words. */
  readonly secrets: () => readonly string[];
}

/**
 * One try: sends, goes where it is sent on, and unpacks the answer.
 *
 * @throws ResponseError for a redirect that must not be followed, or a body that does not unpack; what ends the call
 */
export async function exchange(request: WireRequest, means: Exchange): Promise<TryOutcome> {
  const { operation, scope, sender, secrets } = means;
  let current = request;
  for (let hops = 0; ; hops += 1) {
    const outcome = await sender.send(current, scope);
    if (outcome.kind !== "answer") {
      return hops === 0 ? outcome : { ...outcome, redirectedTo: current.origin };
    }
    if (operation.redirect !== "return" && isRedirect(outcome)) {
      if (hops === MAX_REDIRECTS) {
        throw new ResponseError(`${request.origin} redirects more than ${MAX_REDIRECTS} times`);
      }
      current = redirectedRequest(current, outcome, secrets());
      continue;
    }
    const encoding = outcome.headers["content-encoding"];
    return encoding === undefined ? outcome : unpacked(outcome, encoding, means);
  }
}

/** The answer with its body unpacked. A body that ends too early broke on its way, and sending again may bring all of it. */
async function unpacked(
  answer: Answer,
  contentEncoding: string,
  { operation, scope, secrets }: Exchange,
): Promise<TryOutcome> {
  const { status, body } = answer;
  const { maxAnswerBytes: maxBytes } = operation;
  try {
    const packed = { status, body, contentEncoding, maxBytes, secrets };
    return { ...answer, body: await decodeBody(packed, scope) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    // The status of an error says more than that its body cannot be read.
    if (status >= 300) return { ...answer, body: new TextEncoder().encode(`(${error.message})`) };
    if (errorCode(error.cause) !== CUT_SHORT) throw error;
    return { kind: "broken", cause: error.cause, staleConnection: false };
  }
}

/** Most redirects of one try. */
const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see of a request's headers. */
const PUBLIC_HEADERS = ["accept", "accept-encoding", "user-agent", "range"];
const BODY_HEADERS = /^content-/;

/** Whether an answer sends us elsewhere. Without a `location` it is an error like any other. */
function isRedirect({ status, headers }: Answer): boolean {
  return REDIRECTS.has(status) && headers.location !== undefined;
}

/**
 * The request that a redirect asks for. After 301, 302 and 303 whatever was sent becomes a GET without a body. Another
 * origin (scheme, host, port) gets no credential, no key of ours and no body.
 *
 * @param secrets - what must not be shown of the place
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
