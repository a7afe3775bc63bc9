import { ResponseError } from "@tinkex/base";
import { decodeBody } from "../body/decode-body.js";
import { errorCode } from "../errors/error-code.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { Operation } from "../operations/operation.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "../send/sender.js";
import { isRedirect, MOST_REDIRECTS, redirectedRequest } from "./redirect.js";

/** zlib's word for data that ends in the middle. */
const CUT_SHORT = "Z_BUF_ERROR";

/**
 * One try: sends, goes where it is sent on, and unpacks the answer.
 *
 * @throws ResponseError for a redirect that must not be followed, or a body that does not unpack
 */
export async function exchange(
  request: WireRequest,
  operation: Operation,
  scope: CallScope,
  sender: Sender,
): Promise<TryOutcome> {
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
      current = redirectedRequest(current, outcome);
      continue;
    }
    const encoding = outcome.headers["content-encoding"];
    return encoding === undefined ? outcome : unpacked(outcome, encoding);
  }
}

/** The answer with its body unpacked. A body that ends too early broke on its way, and sending again may bring all of it. */
async function unpacked(answer: Answer, encoding: string): Promise<TryOutcome> {
  try {
    return { ...answer, body: await decodeBody(answer.body, encoding) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    // The status of an error says more than that its body cannot be read.
    if (answer.status >= 300) return { ...answer, body: new TextEncoder().encode(`(${error.message})`) };
    if (errorCode(error.cause) !== CUT_SHORT) throw error;
    return { kind: "broken", cause: error.cause, staleConnection: false };
  }
}
