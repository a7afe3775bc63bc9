import * as z from "zod";
import { OperationFailure } from "../errors/operation-failure.js";
import type { ServerState } from "../registries/server-state.js";
import { requestBody, sequenceId } from "../requests/request-body.js";
import { submitOperation } from "./submit-operation.js";

const slotBody = requestBody({ model_id: z.string(), seq_id: sequenceId });

/**
 * Runs `submit`; when it refuses the request, an operation that fails with the same text takes the request's place in the
 * order of its model, since the client has used the number up and what it sends next would wait for it.
 *
 * @param body - the request's body as it came, which may be anything
 */
export async function reserveSequenceSlot(
  state: ServerState,
  body: unknown,
  submit: () => string | Promise<string>,
): Promise<string> {
  try {
    return await submit();
  } catch (error) {
    takeSlot(state, body, error);
    throw error;
  }
}

function takeSlot(state: ServerState, body: unknown, error: unknown): void {
  const place = slotBody.safeParse(body);
  const model = place.success ? state.models.get(place.data.model_id) : undefined;
  if (!place.success || model === undefined) return;
  // Without the body, which may be of any size: whatever comes again under its number is not run.
  const content = { operation: "refused" };
  try {
    submitOperation(state, {
      model,
      sequenceId: place.data.seq_id,
      content,
      run: () => Promise.reject(OperationFailure.from(error)),
    });
  } catch {
    // The place is taken, or nothing is waiting in a finished session: then there is no hole.
  }
}
