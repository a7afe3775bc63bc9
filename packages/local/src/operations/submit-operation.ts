import { fingerprint } from "../order/fingerprint.js";
import type { OperationResult, ServerState } from "../registries/server-state.js";
import type { TrainingModel } from "../registries/training-model.js";

export interface ModelOperation {
  readonly model: TrainingModel;
  /** Absent: after all that arrived so far, and then a resend is not recognised. */
  readonly sequenceId: number | undefined;
  /** All that must be equal for a resend to be the same request; `operation` names its endpoint. */
  readonly content: { readonly operation: string; readonly [field: string]: unknown };
  readonly run: () => Promise<OperationResult>;
}

/**
 * Puts an operation into the order of its model and returns its request id.
 *
 * @throws RequestRefusal 400 in a finished session, 409 when the sequence id belongs to another request
 */
export function submitOperation(state: ServerState, operation: ModelOperation): string {
  const { model, sequenceId, content } = operation;
  state.sessions.findOpen(model.sessionId);
  model.lastRequestAtMs = state.clock.now();
  const key = keyOf(operation);
  const identity = key === undefined ? undefined : { key, fingerprint: fingerprint(content) };
  const { id, sessionId } = model;
  const work = { sessionId, model: id, name: content.operation };
  const run = state.sessions.timeline.follow(work, state.clock, operation.run);
  return state.futures.submit(identity, () =>
    model.queue.enqueue(sequenceId ?? model.queue.following, state.tracing?.inTurn(run) ?? run),
  );
}

/** Tells whether an operation with this number was submitted before. */
export function isSubmitted(state: ServerState, operation: ModelOperation): boolean {
  const key = keyOf(operation);
  return key !== undefined && state.futures.has(key);
}

function keyOf({ model, sequenceId }: ModelOperation): string | undefined {
  return sequenceId === undefined ? undefined : `${model.id}, seq_id ${sequenceId}`;
}
