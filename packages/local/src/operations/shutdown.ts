import { OperationFailure } from "../errors/operation-failure.js";
import type { Sampler } from "../registries/sampler-registry.js";
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
  const retired = await Promise.allSettled(
    state.models.ofSession(sessionId).map((model) => model.retire("its session was finished")),
  );
  state.losses.removeSession(sessionId);
  const samplers = await state.samplers.removeSession(sessionId);
  const removed = await Promise.allSettled(samplers.map((sampler) => removeSampler(state, sampler)));
  // Told once all are tried: nobody comes again for those behind one that failed.
  for (const outcome of [...retired, ...removed]) if (outcome.status === "rejected") throw outcome.reason;
}

async function removeSampler(state: ServerState, { id, engine, adapterId }: Sampler): Promise<void> {
  state.completions.remove(id);
  if (adapterId === undefined) return;
  if (adapterId === id) await state.adapterCache.remove(adapterId);
  else await engine.releaseAdapter(adapterId);
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
