import { OperationFailure } from "../errors/operation-failure.js";
import type { ServerState } from "../registries/server-state.js";

/** `unload_model`: takes its place behind all that arrived so far. Returns the request id. @throws RequestRefusal 404 */
export function unloadModel(state: ServerState, modelId: string): string {
  const model = state.models.find(modelId);
  return state.futures.submit(undefined, () =>
    model.queue.enqueue(model.queue.following, async () => {
      await model.release("it was unloaded");
      return { name: "UnloadModelResponse", result: { model_id: modelId, type: "unload_model" } };
    }),
  );
}

/**
 * Ends a session: nothing more is taken in it, what waits in its models fails, its samples end, and their memory comes back. Checkpoints
 * stay. A session that was finished before stays as it is.
 *
 * @throws RequestRefusal 404
 */
export async function finishSession(state: ServerState, sessionId: string, reason: string): Promise<void> {
  if (!state.sessions.finish(sessionId, reason)) return;
  state.futures.cancelOwned(sessionId, new OperationFailure("its session was finished", "user"));
  await Promise.all(
    state.models.ofSession(sessionId).map((model) => model.retire("its session was finished")),
  );
  state.losses.removeSession(sessionId);
  for (const { id, engine, adapterId } of await state.samplers.removeSession(sessionId)) {
    state.completions.remove(id);
    if (adapterId === undefined) continue;
    if (adapterId === id) await state.adapterCache.remove(adapterId);
    else await engine.releaseAdapter(adapterId);
  }
}

/** Ends all work before the server closes: what waits fails, what runs is waited for. */
export async function endAllWork(state: ServerState): Promise<void> {
  const failure = new OperationFailure(
    "the server was closed before this operation ran; start it again and submit again",
    "server",
  );
  const models = state.models.all();
  for (const model of models) model.queue.close(failure);
  await Promise.all(models.map((model) => model.queue.idle()));
}
