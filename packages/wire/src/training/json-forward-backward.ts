import { tensorFault, UnsupportedByServerError } from "@tinkex/base";
import {
  type ApiGeneration,
  checkSent,
  type ForwardBackwardInput,
  type ForwardBackwardRequest,
  modelInputChunkSchema,
} from "@tinkex/types";
import type { EncodedBody } from "../encoded-body.js";
import { fieldsToSend } from "../json/fields-to-send.js";
import { requestRecords } from "../json/request-records.js";
import { jsonBody } from "../json/write-json.js";
import { bytesOfChunk } from "./check-chunk.js";
import { checkForwardBackward, elementError, invalid } from "./check-forward-backward.js";

/**
 * Writes a training request as JSON: that of `forward`, an endpoint of its own, for a pass without gradient.
 *
 * @throws ValidationError that names datum, key and index of a bad value; UnsupportedByServerError for spans
 */
export function encodeForwardBackwardAsJson(
  request: ForwardBackwardRequest,
  generation: ApiGeneration,
  isChecked: boolean,
): EncodedBody {
  if (!isChecked) {
    checkForwardBackward(request);
    checkChunks(request.forward_backward_input);
    checkElements(request.forward_backward_input);
  }
  const { forward_backward_input: input, model_id, seq_id } = request;
  refuseSpans(input);
  if (request.forward_only === true) {
    const forward = { forward_input: input, model_id, seq_id };
    return jsonBody(fieldsToSend(forward, requestRecords.ForwardRequest, generation), "ForwardRequest");
  }
  return jsonBody(
    fieldsToSend(request, requestRecords.ForwardBackwardRequest, generation),
    "ForwardBackwardRequest",
  );
}

function refuseSpans({ data }: ForwardBackwardInput): void {
  const index = data.findIndex((datum) => datum.model_input_spans !== undefined);
  if (index === -1) return;
  throw new UnsupportedByServerError(
    `data[${index}] has provenance spans, which need a server that speaks protobuf`,
    {
      feature: "provenance spans",
      cause: invalid("spans have no JSON form", ["data", index, "model_input_spans"]),
    },
  );
}

/** Checks the content of chunks, which the writer of JSON does not look at. @throws ValidationError that names the chunk */
function checkChunks({ data }: ForwardBackwardInput): void {
  for (const [index, { model_input }] of data.entries()) {
    for (const [position, chunk] of model_input.chunks.entries()) {
      checkSent(modelInputChunkSchema, chunk, `data[${index}].model_input.chunks[${position}]`);
      if ("dmel" in chunk) bytesOfChunk(chunk.dmel, "dmel", index, position);
      else if ("data" in chunk) bytesOfChunk(chunk.data, "data", index, position);
    }
  }
}

/** Checks the numbers of tensors, which the writer of JSON looks at as a whole. @throws ValidationError that names the place */
function checkElements({ data }: ForwardBackwardInput): void {
  for (const [index, { loss_fn_inputs }] of data.entries()) {
    for (const [key, tensor] of Object.entries(loss_fn_inputs)) {
      const fault = tensorFault(tensor);
      if (fault !== undefined) throw elementError(index, key, fault);
    }
  }
}
