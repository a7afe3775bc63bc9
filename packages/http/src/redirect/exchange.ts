import { ResponseError } from "@tinkex/base";
import { decodeBody } from "../body/decode-body.js";
import { errorCode } from "../errors/error-code.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { Operation } from "../operations/operations.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "../send/sender.js";
import { isRedirect, MOST_REDIRECTS, redirectedRequest } from "./redirect.js";

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
      if (hops === MOST_REDIRECTS) {
        throw new ResponseError(`${request.origin} redirects more than ${MOST_REDIRECTS} times`);
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
