import type { Records } from "@tinkex/types";
import type { FutureResultName, RequestName } from "@tinkex/wire";
import type { FutureWork } from "../future/operation-context.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { TrainedModel } from "./trained-model.js";

/** An operation of a model that is one request. */
export interface SingleRequest<Sent extends RequestName, Name extends FutureResultName> {
  readonly method: SdkMethod;
  /** A row of the transport's table. */
  readonly operation: string;
  /** The operation by its name on the wire, e.g. `OptimStep`. */
  readonly requestType: string;
  readonly requestName: Sent;
  record(seqId: number): Records[Sent] & object;
  readonly resultName: Name;
  /** The result in spite of an error of the submission; throws the error when there is none. */
  recover?(error: unknown): Records[Name];
}

/** Sends the request in its turn, and waits for the result outside of it. */
export async function runSingleRequest<Sent extends RequestName, Name extends FutureResultName>(
  model: TrainedModel,
  request: SingleRequest<Sent, Name>,
  work: FutureWork,
  startedAtMs: number,
): Promise<Records[Name]> {
  const { session, sequence, turns, log } = model;
  const { method, operation, requestType, requestName, resultName } = request;
  const submission = await turns.runExclusive(work.signal, async () => {
    const seqId = sequence.take();
    let sent = false;
    try {
      return await session.submit({
        method,
        requestType,
        resultName,
        work,
        log,
        startedAtMs,
        // Its delivery is not interrupted: a request that is half sent leaves its number in doubt.
        send: (headers) =>
          session.post(operation, [requestName, request.record(seqId)], "UntypedAPIFuture", {
            headers,
            onSend: () => {
              work.sending();
              sent = true;
            },
          }),
      });
    } catch (error) {
      // Nothing was sent: the number was not used.
      if (!sent) sequence.giveBack([seqId]);
      if (request.recover === undefined) throw error;
      return { result: Promise.resolve(request.recover(error)) };
    }
  });
  work.submitted();
  return submission.result;
}
