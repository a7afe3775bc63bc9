import { decodeForwardBackwardRequest } from "@tinkex/wire";
import type { DatumLike } from "../training/passes/prepare-data.js";
import type { SeenRequest } from "./stub-service.js";

/** A datum that can be told by its token. */
export function datum(token: number): DatumLike {
  return {
    model_input: [token, token],
    loss_fn_inputs: { target_tokens: [token, token + 1], weights: [0, 1] },
  };
}

/** Datums with the tokens 0, 1, 2 … */
export function datums(count: number): DatumLike[] {
  return Array.from({ length: count }, (_, index) => datum(index));
}

/** Reads a training request in whichever form it was sent. */
export function readPass({ headers, body }: SeenRequest) {
  return decodeForwardBackwardRequest(headers["content-type"], body);
}

/** The sequence id of a training request of any kind. */
export function seqIdOf(request: SeenRequest): number {
  return request.path.startsWith("forward") ? readPass(request).seq_id : Number(request.json?.seq_id);
}
