import { type CheckpointKind, type CheckpointRecord, checkpointUri } from "../disk/checkpoint-record.js";
import { takenNameMessage } from "../disk/checkpoint-store.js";
import { userFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { fingerprint } from "../order/fingerprint.js";
import type { ServerState } from "../registries/server-state.js";
import type { TrainingModel } from "../registries/training-model.js";
import {
  MAX_TTL_SECONDS,
  type SaveWeightsBody,
  type SaveWeightsExternalBody,
  type SaveWeightsForSamplerBody,
} from "../requests/model-bodies.js";
import { isSubmitted, type ModelOperation, submitOperation } from "./submit-operation.js";

/** `save_weights`: a checkpoint to go on from, optimizer included. Returns the request id. @throws RequestRefusal 404, 409 */
export async function saveWeights(state: ServerState, body: SaveWeightsBody): Promise<string> {
  const model = state.models.find(body.model_id);
  const wish: NamedSaveRequest = { ...body, kind: "weights" };
  return submitNamedSave(state, wish, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "save_weights", ...body },
    run: async () => {
      const path = checkpointUri(await saveCheckpoint(state, model, wish));
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
export async function saveWeightsForSampler(
  state: ServerState,
  body: SaveWeightsForSamplerBody,
): Promise<string> {
  const model = state.models.find(body.model_id);
  const { wish, save } = samplerSave(state, model, body);
  return submitNamedSave(state, wish, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "save_weights_for_sampler", ...body },
    run: async () => {
      if (body.kind !== "snapshot") {
        throw userFailure(`kind must be "snapshot" on this server, got "${body.kind}"`);
      }
      return {
        name: "SaveWeightsForSamplerResponse",
        result: { ...(await save()), type: "save_weights_for_sampler" },
      };
    },
  });
}

/**
 * `save_weights_external`: files in PEFT's layout to be fetched and used elsewhere. Returns the request id.
 *
 * @throws RequestRefusal 404, 409
 */
export async function saveWeightsExternal(
  state: ServerState,
  body: SaveWeightsExternalBody,
): Promise<string> {
  const model = state.models.find(body.model_id);
  const { age_encryption_recipients: recipients, ...rest } = body;
  const wish: NamedSaveRequest = { ...rest, kind: "external_weights", overwrite: false };
  return submitNamedSave(state, wish, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "save_weights_external", ...body },
    run: async () => {
      if (recipients.length > 0) {
        throw userFailure(
          `age_encryption_recipients must be empty on this server, which does not encrypt, got ${recipients.length}`,
        );
      }
      const { size_bytes, ...place } = await saveCheckpoint(state, model, wish);
      const result = { path: checkpointUri(place), size_bytes, type: "save_weights_external" };
      return { name: "SaveWeightsExternalResponse", result };
    },
  });
}

/** Target of a save: a name, where it has one, wins over the number of a session. */
function samplerSave(
  state: ServerState,
  model: TrainingModel,
  { path, sampling_session_seq_id: samplerNumber, ...rest }: SaveWeightsForSamplerBody,
): {
  /** Absent for a sampling session. */
  readonly wish?: NamedSaveRequest;
  readonly save: () => Promise<{ readonly path: string } | { readonly sampling_session_id: string }>;
} {
  if (path !== undefined) {
    const wish: NamedSaveRequest = { ...rest, path, kind: "sampler_weights", overwrite: false };
    return { wish, save: async () => ({ path: checkpointUri(await saveCheckpoint(state, model, wish)) }) };
  }
  if (samplerNumber === undefined) {
    throw new RequestRefusal(
      422,
      "save_weights_for_sampler needs a path (a name) or a sampling_session_seq_id",
    );
  }
  return { save: async () => ({ sampling_session_id: await snapshotSampler(state, model, samplerNumber) }) };
}

interface NamedSaveRequest {
  readonly path: string;
  readonly kind: CheckpointKind;
  readonly overwrite: boolean;
  readonly ttl_seconds?: number | undefined;
  readonly user_metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * Submits a save. A name that is taken is refused at once with the hosted service's 409; the operation keeps its place in
 * the order all the same and fails there, so that the official SDK, which repeats a 409 for five minutes, meets the failed
 * future at its second try.
 */
async function submitNamedSave(
  state: ServerState,
  wish: NamedSaveRequest | undefined,
  operation: ModelOperation,
): Promise<string> {
  const { model } = operation;
  const isTaken =
    wish !== undefined &&
    !wish.overwrite &&
    !isSubmitted(state, operation) &&
    (await state.checkpoints.read(model.id, wish.kind, wish.path)) !== undefined;
  const requestId = submitOperation(state, operation);
  if (isTaken) throw new RequestRefusal(409, takenNameMessage(model.id, wish.kind, wish.path));
  return requestId;
}

async function saveCheckpoint(
  state: ServerState,
  model: TrainingModel,
  wish: NamedSaveRequest,
): Promise<CheckpointRecord> {
  const { engine, shape } = model.requireAdapter();
  const { ttl_seconds: ttlSeconds, kind, overwrite, user_metadata: userMetadata } = wish;
  if (ttlSeconds !== undefined && !(ttlSeconds > 0 && ttlSeconds <= MAX_TTL_SECONDS)) {
    throw userFailure(
      `ttl_seconds must be above 0 and at most ${MAX_TTL_SECONDS}, got ${ttlSeconds}; leave it out to keep the checkpoint`,
    );
  }
  const includesOptimizer = kind === "weights";
  return state.checkpoints.save(
    {
      training_run_id: model.id,
      kind,
      name: wish.path,
      base_model: engine.model.name,
      shape,
      has_optimizer: includesOptimizer,
      ...(userMetadata === undefined ? {} : { user_metadata: userMetadata }),
      ttlSeconds,
      mayOverwrite: overwrite,
    },
    (directory) => engine.saveAdapter(model.id, directory, { includesOptimizer }),
  );
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
    state.adapterCache.add(id, engine);
    return { id, sessionId: model.sessionId, engine, adapterId: id, modelPath: undefined };
  });
  return sampler.id;
}

/** A sampling session is named by its session and its number there, in the form of the official service. */
export function samplerIdOf(sessionId: string, samplerNumber: number): string {
  return `${sessionId}:sample:${samplerNumber}`;
}
