import { readForwardBackward } from "@tinkex/wire";
import { forwardBackwardBody, forwardBody, type PassBody } from "../requests/pass-body.js";
import { readBody } from "../requests/request-body.js";
import { ProtobufBody } from "./parse-bodies.js";

/**
 * The body of `forward_backward`, protobuf or JSON.
 *
 * @throws RequestRefusal 422 or DecodeError for a body that cannot be read
 */
export function readForwardBackwardBody(body: unknown): PassBody {
  if (!(body instanceof ProtobufBody)) {
    const { forward_backward_input: input, model_id, seq_id } = readBody(forwardBackwardBody, body);
    return { ...input, model_id, seq_id, forward_only: false };
  }
  const request = readForwardBackward(body.bytes);
  return {
    ...request.forward_backward_input,
    model_id: request.model_id,
    // Protobuf writes an absent number as 0, and 0 is the creation of the model.
    seq_id: request.seq_id === 0 ? undefined : request.seq_id,
    forward_only: request.forward_only ?? false,
  };
}

/** The body of `forward`, which only clients before 0.25 use. @throws RequestRefusal 422 */
export function readForwardBody(body: unknown): PassBody {
  const { forward_input: input, model_id, seq_id } = readBody(forwardBody, body);
  return { ...input, model_id, seq_id, forward_only: true };
}
