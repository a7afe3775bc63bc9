import type { SaveWeightsBody, SaveWeightsForSamplerBody } from "../requests/model-bodies.js";
import { type CheckpointKind, checkpointUri } from "./checkpoint-record.js";
import { fingerprint } from "./fingerprint.js";
import { userFailure } from "./operation-failure.js";
import { RequestRefusal } from "./request-refusal.js";
import type { ServerState } from "./server-state.js";
import { submitOperation } from "./submit-operation.js";
import type { TrainingModel } from "./training-model.js";

/** `save_weights`: a checkpoint to go on from, optimizer included. Returns the request id. @throws RequestRefusal 404, 409 */
export function saveWeights(state: ServerState, body: SaveWeightsBody): string {
  const model = state.models.find(body.model_id);
  return submitOperation(state, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "save_weights", ...body },
    run: async () => {
      const path = await saveCheckpoint(state, model, { ...body, kind: "weights" });
      return { name: "SaveWeightsResponse", result: { path, type: "save_weights" } };
    },
  });
}

/**
 * `save_weights_for_sampler`: with a name a checkpoint to sample from, without one a sampling session that holds a copy of
 * the weights in memory. Returns the request id.
 *
 * @throws RequestRefusal 404, 409, and 422 when the request has neither a name nor a number for the session
 */
export function saveWeightsForSampler(state: ServerState, body: SaveWeightsForSamplerBody): string {
  const model = state.models.find(body.model_id);
  const { path: name, sampling_session_seq_id: samplerNumber } = body;
  if (name === undefined && samplerNumber === undefined) {
    throw new RequestRefusal(
      422,
      "save_weights_for_sampler needs a path (a name) or a sampling_session_seq_id.",
    );
  }
  return submitOperation(state, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "save_weights_for_sampler", ...body },
    run: async () => {
      if (body.kind !== "snapshot") {
        throw userFailure(`kind "${body.kind}" is not served by this server; use "snapshot".`);
      }
      const saved =
        name === undefined
          ? { sampling_session_id: await snapshotSampler(state, model, samplerNumber ?? 0) }
          : {
              path: await saveCheckpoint(state, model, {
                ...body,
                path: name,
                kind: "sampler_weights",
                overwrite: false,
              }),
            };
      return {
        name: "SaveWeightsForSamplerResponse",
        result: { ...saved, type: "save_weights_for_sampler" },
      };
    },
  });
}

interface CheckpointWish {
  readonly path: string;
  readonly kind: CheckpointKind;
  readonly overwrite: boolean;
  readonly ttl_seconds?: number | undefined;
  readonly user_metadata?: Readonly<Record<string, string>> | undefined;
}

async function saveCheckpoint(
  state: ServerState,
  model: TrainingModel,
  wish: CheckpointWish,
): Promise<string> {
  const { engine, shape } = model.requireAdapter();
  const { ttl_seconds: ttlSeconds, kind, overwrite, user_metadata: userMetadata } = wish;
  if (ttlSeconds !== undefined && !(Number.isFinite(ttlSeconds) && ttlSeconds > 0)) {
    throw userFailure(`ttl_seconds must be above 0, not ${ttlSeconds}; leave it out to keep the checkpoint.`);
  }
  const optimizer = kind === "weights";
  const checkpoint = await state.checkpoints.save(
    {
      training_run_id: model.id,
      kind,
      name: wish.path,
      base_model: engine.model.name,
      shape,
      has_optimizer: optimizer,
      ...(userMetadata === undefined ? {} : { user_metadata: userMetadata }),
      ttlSeconds,
      overwrite,
    },
    (directory) => engine.saveAdapter(model.id, directory, { optimizer }),
  );
  return checkpointUri(checkpoint);
}

async function snapshotSampler(
  state: ServerState,
  model: TrainingModel,
  samplerNumber: number,
): Promise<string> {
  const { engine } = model.requireAdapter();
  const id = samplerIdOf(model.sessionId, samplerNumber);
  const identity = {
    id,
    sessionId: model.sessionId,
    fingerprint: fingerprint({ snapshot: model.id, samplerNumber }),
  };
  const sampler = await state.samplers.create(identity, async () => {
    await engine.copyAdapter(model.id, id);
    state.shelf.add(id, engine);
    return { id, sessionId: model.sessionId, engine, adapterId: id, modelPath: undefined };
  });
  return sampler.id;
}

/** A sampling session is named by its session and its number there, in the form of the official service. */
export function samplerIdOf(sessionId: string, samplerNumber: number): string {
  return `${sessionId}:sample:${samplerNumber}`;
}
