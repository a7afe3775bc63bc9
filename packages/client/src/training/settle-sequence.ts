import { ApiStatusError, ConnectionError, TinkexError } from "@tinkex/base";
import { isLostSession, SessionLostError } from "../session/session-lost-error.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import type { SequenceId, TrainedModel } from "./trained-model.js";

/** A request of a model that failed for good, or that never left because another one failed. */
export interface LostRequest {
  readonly id: SequenceId;
  readonly hasLeft: boolean;
  readonly error: unknown;
}

/**
 * Settles the ids of an operation that failed for good. Those under which the service surely took nothing are used again by the
 * next operation, since a gap would keep the service waiting. Where that is in doubt, or a part of the call was accepted, the
 * order is lost and the client takes no more.
 *
 * @param isPartAccepted - the service has accepted other requests of the same call
 * @returns the error that the operation fails with
 */
export function settleSequence(
  model: TrainedModel,
  operation: string,
  lost: readonly LostRequest[],
  isPartAccepted = false,
): unknown {
  const { sequence, turns } = model;
  const cause = lost.find(({ hasLeft }) => hasLeft)?.error ?? lost[0]?.error;
  // A load names a checkpoint too, which may be what the service does not know.
  if (isLostSession(cause, operation === "load_weights" ? ["session"] : undefined)) {
    const error = lostError(model, cause);
    turns.break(error);
    return error;
  }
  const doubtful = lost.filter(({ hasLeft, error }) => hasLeft && mayHaveArrived(error));
  if (isPartAccepted || doubtful.length > 0) {
    const ids = lost.map(({ id }) => id.value);
    turns.break(
      new SequenceBrokenError(model.id, ids, {
        cause,
        isPartAccepted,
        lastCheckpoint: model.checkpoints.latest,
      }),
    );
    return cause;
  }
  sequence.giveBack(
    lost.map(({ id, hasLeft, error }) => ({
      ...id,
      wasRefused: id.wasRefused || (hasLeft && error instanceof ApiStatusError),
    })),
  );
  // A budget of failed connections holds for the whole queue: those behind would only wait as long again.
  if (cause instanceof ConnectionError) turns.dismiss(cause);
  return cause;
}

/** Makes the error of a model that the service no longer knows. */
export function lostError({ id, checkpoints }: TrainedModel, cause: unknown): SessionLostError {
  return new SessionLostError(`model ${id}`, { lastCheckpoint: checkpoints.latest, cause });
}

/** Tells whether a failed request may have reached the service; a transport of the caller's that does not say leaves it open. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof TinkexError)) return true;
  if (error.code === "validation_failed") return false;
  return !("mayHaveArrived" in error) || error.mayHaveArrived !== false;
}

/** Tells whether a refusal says that a sequence id is used. A save is answered 409 for its name too. */
export function isSequenceConflict(operation: string, error: unknown): boolean {
  if (!(error instanceof ApiStatusError) || error.status !== 409) return false;
  return !operation.startsWith("save_") || /sequence|seq_id/i.test(error.message);
}
