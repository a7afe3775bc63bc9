import { ResponseError } from "@tinkex/types/base";
import type { CallScope } from "./call-scope.js";
import { decodeBody } from "./decode-body.js";
import type { Operation } from "./operation.js";
import { isRedirect, MOST_REDIRECTS, redirectedRequest } from "./redirect.js";
import type { Sender } from "./sender.js";
import type { TryOutcome } from "./try-outcome.js";
import type { WireRequest } from "./wire-request.js";

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
