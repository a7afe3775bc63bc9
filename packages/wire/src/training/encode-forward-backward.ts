import { UnsupportedByServerError } from "@tinkex/base";
import type { ApiGeneration, ForwardBackwardInput, ForwardBackwardRequest } from "@tinkex/types";
import type { BodyMemory } from "../body-memory.js";
import { type EncodedBody, PROTOBUF_TYPE } from "../encoded-body.js";
import { fieldsToSend } from "../json/fields-to-send.js";
import { requestRecords } from "../json/request-records.js";
import { jsonBody } from "../json/write-json.js";
import { checkChunks, checkElements, checkForwardBackward, invalid } from "./check-forward-backward.js";
import { writeForwardBackward } from "./write-forward-backward.js";

/** How a training request travels. */
export interface ForwardBackwardEncoding {
  readonly wire: "protobuf" | "json";
  /** Which fields the server knows; matters to JSON only. */
  readonly generation: ApiGeneration;
  /** zstd, when the server asks for compressed requests and the host can. Protobuf bodies only. */
  readonly compress?: ((bytes: Uint8Array) => Uint8Array<ArrayBuffer>) | undefined;
  /** Where large protobuf bodies are written; give them back when they were delivered. New memory by default. */
  readonly memory?: BodyMemory | undefined;
  /**
   * The caller has checked the record, its tensors and its spans, and cast the tensors to typed arrays: they are not checked once
   * more. Tokens and the content of chunks still are. @defaultValue false
   */
  readonly isChecked?: boolean | undefined;
}

/**
 * The body of a training request. In JSON a pass without gradient (`forward_only`) has another shape, for an endpoint of its
 * own: `forward` in place of `forward_backward`.
 *
 * @throws ValidationError that names datum, key and index of a bad value; UnsupportedByServerError for spans in JSON
 */
export function encodeForwardBackwardRequest(
  request: ForwardBackwardRequest,
  encoding: ForwardBackwardEncoding,
): EncodedBody {
  // The messages themselves may be without data; a request to train on nothing is a mistake.
  if (request.forward_backward_input?.data?.length === 0) throw invalid("no data provided", ["data"]);
  if (encoding.wire === "json") return encodeAsJson(request, encoding);
  const body = writeForwardBackward(request, encoding.memory, encoding.isChecked);
  if (encoding.compress === undefined) return { body, contentType: PROTOBUF_TYPE };
  const packed = encoding.compress(body);
  encoding.memory?.giveBack(body);
  return { body: packed, contentType: PROTOBUF_TYPE, contentEncoding: "zstd" };
}

function encodeAsJson(
  request: ForwardBackwardRequest,
  { generation, isChecked = false }: ForwardBackwardEncoding,
): EncodedBody {
  if (!isChecked) checkForwardBackward(request);
  const { forward_backward_input: input, model_id, seq_id } = request;
  checkChunks(input);
  if (!isChecked) checkElements(input);
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
