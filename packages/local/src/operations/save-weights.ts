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
      if (body.kind !== "snapshot" && body.kind !== "inflight") {
        throw userFailure(`kind must be "snapshot" or "inflight", got "${body.kind}"`);
      }
      if (body.kind === "inflight" && wish !== undefined) {
        throw userFailure('kind must be "snapshot" where path names a checkpoint, got "inflight"');
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
  { path, sampling_session_seq_id: samplerNumber, kind, ...rest }: SaveWeightsForSamplerBody,
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
  return {
    save: async () => ({
      sampling_session_id: await (kind === "inflight"
        ? inflightSampler(state, model, samplerNumber)
        : snapshotSampler(state, model, samplerNumber)),
    }),
  };
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
  const identity = samplerIdentity(model, samplerNumber, "snapshot");
  const { id, sessionId } = identity;
  const sampler = await state.samplers.create(identity, async () => {
    await engine.copyAdapter(model.id, id);
    state.adapterCache.add(id, engine);
    return { id, sessionId, engine, adapterId: id, modelPath: undefined };
  });
  return sampler.id;
}

/**
 * Publishes the weights to the one target that all samplers of this kind of a model draw from: those made before sample from these
 * weights from now on. A sample under way ends with the ones it began with.
 */
async function inflightSampler(
  state: ServerState,
  model: TrainingModel,
  samplerNumber: number,
): Promise<string> {
  const { engine } = model.requireAdapter();
  const identity = samplerIdentity(model, samplerNumber, "inflight");
  const { id, sessionId } = identity;
  const adapterId = inflightAdapterId(model.id);
  const sampler = await state.samplers.create(identity, async () => {
    await engine.copyAdapter(model.id, adapterId);
    return { id, sessionId, engine, adapterId, modelPath: undefined };
  });
  return sampler.id;
}

function samplerIdentity(model: TrainingModel, samplerNumber: number, kind: "snapshot" | "inflight") {
  const { id: modelId, sessionId } = model;
  const content = fingerprint({ [kind]: modelId, samplerNumber });
  return { id: samplerIdOf(sessionId, samplerNumber), sessionId, fingerprint: content };
}

/** Adapter that holds what a model published last. It stays in memory until its session is finished. */
function inflightAdapterId(modelId: string): string {
  return `${modelId}:inflight`;
}

/** A sampling session is named by its session and its number there, in the form of the official service. */
export function samplerIdOf(sessionId: string, samplerNumber: number): string {
  return `${sessionId}:sample:${samplerNumber}`;
}
