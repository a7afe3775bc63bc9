import { ResponseError } from "@tinkex/types/base";
import { decodeBody } from "../body/decode-body.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { CallScope } from "../limits/call-scope.js";
import type { Operation } from "../operations/operation.js";
import type { WireRequest } from "../request/wire-request.js";
import type { Sender } from "../send/sender.js";
import { isRedirect, MOST_REDIRECTS, redirectedRequest } from "./redirect.js";

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
    if (outcome.kind !== "answer") return outcome;
    if (operation.redirect !== "return" && isRedirect(outcome)) {
      if (hops === MOST_REDIRECTS) {
        throw new ResponseError(`${request.origin} redirects more than ${MOST_REDIRECTS} times`);
      }
      current = redirectedRequest(current, outcome);
      continue;
    }
    const encoding = outcome.headers["content-encoding"];
    return encoding === undefined ? outcome : { ...outcome, body: await decodeBody(outcome.body, encoding) };
  }
}
