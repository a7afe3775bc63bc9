import { ApiStatusError, RequestFailedError } from "@tinkex/base";
import type { OperationContext } from "../../future/operation-context.js";
import type { TrainedModel } from "../trained-model.js";
import { afterConflict, type NamedSave } from "./after-conflict.js";
import { withRemedy } from "./with-remedy.js";

/** Words of the service for a name that is taken. Other conflicts are about the order of requests. */
const TAKEN = /\balready exists\b/;

/**
 * Runs a save of weights under a name, and decides where the name is taken. The service says so at once (409); or only in the result,
 * where the name was free when the save was accepted, or the very same request was refused before.
 *
 * @param run - submits the save, given what decides about its conflict, and gives its result
 */
export async function saveUnderName<Result>(
  model: TrainedModel,
  save: NamedSave,
  context: OperationContext,
  run: (
    recover: (conflict: ApiStatusError) => ReturnType<typeof afterConflict>,
  ) => Promise<Result | { readonly path: string }>,
): Promise<Result | { readonly path: string }> {
  try {
    return await run((conflict) => afterConflict(model, conflict, save, context));
  } catch (error) {
    if (!isTakenName(error)) throw error;
    const reused = error instanceof RequestFailedError && afterConflict(model, error, save, context);
    if (reused) return reused();
    throw withRemedy(error, remedyFor(save));
  }
}

/** Names what can still be done: a service that was asked to replace the checkpoint, and refused, is not asked once more. */
function remedyFor({ type, wasToReplace }: NamedSave): string {
  if (wasToReplace)
    return "the service does not replace it, though overwrite was asked for; save under another name";
  const replaces = type === "training" ? "overwrite: true replaces it, " : "";
  return `${replaces}onConflict: "reuse" takes it as it is`;
}

function isTakenName(error: unknown): boolean {
  const isRefusal = error instanceof ApiStatusError && error.status === 409;
  return (isRefusal || error instanceof RequestFailedError) && TAKEN.test(error.message);
}
