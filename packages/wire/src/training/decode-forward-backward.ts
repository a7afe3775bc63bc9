import {
  checkReceived,
  checkRequest,
  type ForwardBackwardRequest,
  forwardBackwardRequestSchema,
} from "@tinkex/types";
import { namesProtobuf } from "../future/decode-future.js";
import { parseJson } from "../json/decode-json.js";
import { readForwardBackward } from "./read-forward-backward.js";

/**
 * Reads the training request in a body, as a server does: protobuf or either JSON shape, told apart by the content type. The
 * JSON shape of the `forward` endpoint gives `forward_only: true`. A compressed body must have been decompressed.
 *
 * @throws DecodeError or ResponseError when the body is not a valid request
 */
export function decodeForwardBackwardRequest(
  contentType: string | undefined,
  body: Uint8Array,
): ForwardBackwardRequest {
  if (namesProtobuf(contentType)) {
    return checkReceived(forwardBackwardRequestSchema, readForwardBackward(body), "ForwardBackwardRequest");
  }
  const parsed = parseJson(body, "ForwardBackwardRequest");
  const isForwardOnly = isObject(parsed) && "forward_input" in parsed;
  const shaped = isForwardOnly ? { ...parsed, forward_backward_input: parsed.forward_input } : parsed;
  const request = checkRequest(forwardBackwardRequestSchema, shaped, "ForwardBackwardRequest");
  return { ...request, forward_only: isForwardOnly };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
