import { checkObject, ValidationError } from "@tinkex/base";
import type { ForwardBackwardOutput, FutureOutcome, Records, SampleResponse } from "@tinkex/types";
import { type EncodedBody, PROTOBUF_TYPE } from "../encoded-body.js";
import { encodeJsonResponse } from "../json/encode-json.js";
import { jsonBody } from "../json/write-json.js";
import { writeSampleResponse } from "../sampling/write-sample-response.js";
import { writeForwardBackwardOutput } from "../training/write-forward-backward-output.js";
import { type FutureResultName, namesProtobuf } from "./decode-future.js";

/**
 * Writes the answer to a poll, as a server gives it: results that have a protobuf form in that form when `accept` names it, all else
 * as JSON. `requestId` goes into a "not yet".
 */
export function encodeFutureOutcome<Name extends FutureResultName>(
  name: Name,
  outcome: FutureOutcome<Records[Name]>,
  options: { readonly accept: string | undefined; readonly requestId: string },
): EncodedBody {
  checkObject(outcome, "outcome", '{ state: "pending" }');
  checkObject(options, "options", '{ accept: undefined, requestId: "r" }');
  switch (outcome.state) {
    case "pending": {
      const { queue_state = "active", queue_state_reason } = outcome;
      const answer = { type: "try_again", request_id: options.requestId, queue_state, queue_state_reason };
      return jsonBody(answer, "TryAgainResponse");
    }
    case "metadata_only": {
      const answer = { status: "complete_metadata", response_payload_size: outcome.response_payload_size };
      return jsonBody(answer, "CompleteMetadataResponse");
    }
    case "failed":
      return jsonBody({ error: outcome.error, category: outcome.category }, "RequestFailedResponse");
    case "complete":
      return encodeResult(name, outcome.result, options.accept);
    default:
      // Plain JavaScript may pass any state.
      throw new ValidationError('outcome.state must be "pending", "metadata_only", "failed" or "complete"', {
        path: ["outcome", "state"],
      });
  }
}

function encodeResult<Name extends FutureResultName>(
  name: Name,
  result: Records[Name],
  accept: string | undefined,
): EncodedBody {
  // `name` says which record `result` is, which the compiler cannot follow.
  if (namesProtobuf(accept) && name === "ForwardBackwardOutput") {
    return encodeForwardBackwardOutput(result as ForwardBackwardOutput);
  }
  if (namesProtobuf(accept) && name === "SampleResponse")
    return encodeSampleResponse(result as SampleResponse);
  return encodeJsonResponse(name, result);
}

/** Writes a training result as protobuf. */
export function encodeForwardBackwardOutput(output: ForwardBackwardOutput): EncodedBody {
  return { body: writeForwardBackwardOutput(output), contentType: PROTOBUF_TYPE };
}

/** Writes a sample result as protobuf. */
export function encodeSampleResponse(response: SampleResponse): EncodedBody {
  return { body: writeSampleResponse(response), contentType: PROTOBUF_TYPE };
}
