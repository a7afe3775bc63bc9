import { checkpointUri, LOADABLE_KINDS } from "../disk/checkpoint-record.js";
import { resolveCheckpoint } from "../disk/resolve-checkpoint.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { fingerprint } from "../order/fingerprint.js";
import type { Sampler } from "../registries/sampler-registry.js";
import type { ServerState } from "../registries/server-state.js";
import type { CreateSamplingSessionBody } from "../requests/session-bodies.js";
import { samplerIdOf } from "./save-weights.js";

/** Source of the samples: exactly one of the two. */
export interface SamplerSource {
  readonly base_model?: string | undefined;
  readonly model_path?: string | undefined;
}

/**
 * `create_sampling_session`.
 *
 * @throws RequestRefusal 400 or 404 when there is nothing to sample from, 409 when the number belongs to another request
 */
export async function createSampler(state: ServerState, body: CreateSamplingSessionBody): Promise<Sampler> {
  const session = state.sessions.findOpen(body.session_id);
  const id = samplerIdOf(session.id, body.sampling_session_seq_id);
  const identity = { id, sessionId: session.id, fingerprint: fingerprint(body) };
  return state.samplers.create(identity, async () => {
    const sampler = await openSampler(state, body, id, session.id);
    if (sampler.adapterId !== undefined) state.adapterCache.add(sampler.adapterId, sampler.engine);
    return sampler;
  });
}

/** Loads what `source` names, under the sampler's id. */
export async function openSampler(
  state: ServerState,
  source: SamplerSource,
  id: string,
  sessionId: string,
): Promise<Sampler> {
  const { base_model: baseModel, model_path: modelPath } = source;
  if (modelPath === undefined) {
    if (baseModel === undefined)
      throw new RequestRefusal(
        400,
        "base_model and model_path are missing; give one of them, to sample from",
      );
    return {
      id,
      sessionId,
      engine: state.engines.find(baseModel),
      adapterId: undefined,
      modelPath: undefined,
    };
  }
  const checkpoint = await resolveCheckpoint(state.checkpoints, modelPath, LOADABLE_KINDS);
  if (baseModel !== undefined && baseModel !== checkpoint.base_model) {
    throw new RequestRefusal(
      400,
      `base_model must be "${checkpoint.base_model}", on which "${modelPath}" was trained, got "${baseModel}"`,
    );
  }
  const engine = state.engines.find(checkpoint.base_model);
  await state.checkpoints.withFiles(checkpoint, (directory) =>
    engine.loadAdapter(id, directory, { includesOptimizer: false }),
  );
  return { id, sessionId, engine, adapterId: id, modelPath: checkpointUri(checkpoint) };
}
