import { resolveCheckpoint } from "../disk/resolve-checkpoint.js";
import { userFailure } from "../errors/operation-failure.js";
import { fingerprint } from "../order/fingerprint.js";
import { SequenceQueue } from "../order/sequence-queue.js";
import type { OperationResult, ServerState } from "../registries/server-state.js";
import type { Session } from "../registries/session-registry.js";
import { type ModelAdapter, TrainingModel } from "../registries/training-model.js";
import { requireAdam, toAdapterShape } from "../requests/adapter-shape.js";
import { toEngineSeed } from "../requests/engine-seed.js";
import type { CreateModelBody, LoadWeightsBody } from "../requests/model-bodies.js";
import { loadCheckpoint } from "./load-weights.js";

/** `create_model`: a base model with a fresh adapter. Returns the request id. @throws RequestRefusal 400, 404, 409 */
export function createModel(state: ServerState, body: CreateModelBody): string {
  const make = async (modelId: string): Promise<ModelAdapter> => {
    requireAdam(body.optimizer_config);
    const engine = state.engines.find(body.base_model);
    const shape = toAdapterShape(body.lora_config);
    const seed = body.lora_config?.seed;
    await engine.createAdapter(modelId, shape, seed === undefined ? state.randomSeed() : toEngineSeed(seed));
    return { engine, shape };
  };
  return submitCreation(state, body, make, (modelId) => ({
    name: "CreateModelResponse",
    result: { model_id: modelId, type: "create_model" },
  }));
}

/** The form of `load_weights` that makes a model from a checkpoint. Returns the request id. @throws RequestRefusal 400, 404, 409 */
export function createModelFromCheckpoint(state: ServerState, body: LoadWeightsBody & SessionSlot): string {
  const make = async (modelId: string): Promise<ModelAdapter> => {
    requireAdam(body.optimizer_config);
    const checkpoint = await resolveCheckpoint(state.checkpoints, body.path, ["weights"]);
    if (body.base_model !== undefined && body.base_model !== checkpoint.base_model) {
      throw userFailure(
        `base_model must be "${checkpoint.base_model}", on which "${body.path}" was trained, got "${body.base_model}"`,
      );
    }
    return loadCheckpoint(state, modelId, checkpoint, body.optimizer);
  };
  return submitCreation(state, body, make, (modelId) => ({
    name: "LoadWeightsResponse",
    result: { path: body.path, model_id: modelId, type: "load_weights" },
  }));
}

/** Names a model: its session, and its number there. */
interface SessionSlot {
  readonly session_id: string;
  readonly model_seq_id: number;
}

function submitCreation(
  state: ServerState,
  body: SessionSlot & { readonly user_metadata?: Readonly<Record<string, string>> | undefined },
  make: (modelId: string) => Promise<ModelAdapter>,
  answer: (modelId: string) => OperationResult,
): string {
  const session = state.sessions.findOpen(body.session_id);
  const modelId = `${session.id}:train:${body.model_seq_id}`;
  const identity = { key: `the creation of ${modelId}`, fingerprint: fingerprint(body) };
  return state.futures.submit(identity, () => {
    const { clock, gapTimeoutMs } = state;
    const queue = new SequenceQueue({ name: modelId, clock, gapTimeoutMs });
    const model = new TrainingModel({ id: modelId, sessionId: session.id, queue, createdAtMs: clock.now() });
    state.models.add(model);
    return model
      .create(async () => {
        const adapter = await make(modelId);
        try {
          await recordRun(state, modelId, session, adapter, body.user_metadata);
        } catch (error) {
          await adapter.engine.releaseAdapter(modelId);
          throw error;
        }
        return adapter;
      })
      .then(() => answer(modelId));
  });
}

async function recordRun(
  state: ServerState,
  modelId: string,
  session: Session,
  { engine, shape }: ModelAdapter,
  userMetadata: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  await state.runs.save({
    training_run_id: modelId,
    session_id: session.id,
    project_id: session.projectId,
    base_model: engine.model.name,
    shape,
    ...(userMetadata === undefined ? {} : { user_metadata: userMetadata }),
    created_at: new Date(state.clock.now()).toISOString(),
  });
}
