import { ApiStatusError, BACKOFFS, BackoffCounter, type RequestFailedError } from "@tinkex/base";
import { CheckpointPath, type CheckpointType } from "@tinkex/types";
import type { OperationContext } from "../../future/operation-context.js";
import type { TrainedModel } from "../trained-model.js";
import type { OnConflict } from "./save-options.js";

/** A save of a model's weights under a name. */
export interface NamedSave {
  readonly type: CheckpointType;
  readonly name: string;
  readonly onConflict?: OnConflict | undefined;
  /** Tells whether a checkpoint of the name was to be replaced. */
  readonly wasToReplace?: boolean | undefined;
}

/** Longest wait for a checkpoint that should be there, in milliseconds. */
const MAX_WAIT_MS = 300_000;

/**
 * Decides about a save whose name is taken, as a 409 or its result says. The caller may take what is there; or an earlier try of the same save was answered
 * by nobody or by a server error, so that the name is taken by our own success. Either way the save is done when the checkpoint
 * can be read.
 *
 * @returns a function that waits for the checkpoint and gives its path; `undefined` when the conflict stands
 */
export function afterConflict(
  model: TrainedModel,
  conflict: ApiStatusError | RequestFailedError,
  save: NamedSave,
  context: OperationContext,
): (() => Promise<{ readonly path: string }>) | undefined {
  const mayBeOurs = conflict instanceof ApiStatusError && conflict.mayHaveArrived;
  if (save.onConflict !== "reuse" && !mayBeOurs) return undefined;
  const path = CheckpointPath.format(model.id, save.type, save.name);
  return async () => {
    await waitUntilReadable(model, path, conflict, context);
    return { path };
  };
}

/** Asks for the checkpoint until the service knows it. The transport waits out the 425 of one that is still being made. */
async function waitUntilReadable(
  { channel }: TrainedModel,
  path: string,
  conflict: ApiStatusError | RequestFailedError,
  context: OperationContext,
): Promise<void> {
  const { clock, random } = channel.environment;
  const startedAtMs = clock.monotonic();
  const pause = new BackoffCounter(BACKOFFS.patient, random);
  for (;;) {
    try {
      await channel.session.call("weights_info", { tinker_path: path }, context);
      return;
    } catch (error) {
      if (!(error instanceof ApiStatusError) || (error.status !== 404 && error.status !== 405)) throw error;
      // A server that cannot say whether it has a checkpoint has to be believed.
      if (error.status === 405 || isUnknownEndpoint(error)) return;
      if (clock.monotonic() - startedAtMs > MAX_WAIT_MS) throw conflict;
      await clock.sleep(pause.nextMs(), context.signal);
    }
  }
}

/** Tells the 404 of a server that has no such endpoint from that of one that has no such checkpoint. */
function isUnknownEndpoint({ body }: ApiStatusError): boolean {
  if (typeof body !== "object" || body === null || !("detail" in body)) return true;
  return body.detail === "Not Found";
}
