import { ApiStatusError, ValidationError } from "@tinkex/base";
import { CheckpointPath, type LoadWeightsRequest } from "@tinkex/types";
import type { OperationContext } from "../../future/operation-context.js";
import type { RequestContext } from "../../session/api-calls.js";
import type { LoadRoute } from "../../session/server-generation.js";
import { isLostSession } from "../../session/session-lost-error.js";
import { abandonModel, createModel, type ModelCreation, type NewModel } from "../create-model.js";
import { modelIdOf, submitCreation } from "../submit-creation.js";
import { runOperation, type TrainedModel } from "../trained-model.js";

/** The checkpoint that is loaded into a new model, and how. */
export type ModelSource = Pick<
  LoadWeightsRequest,
  "path" | "base_model" | "user_metadata" | "optimizer" | "optimizer_config" | "weights_access_token"
>;

/** A way to make a model from a checkpoint: asks for what a server may not know, and gives what is left to do. */
type Loader = (creation: ModelCreation, source: ModelSource) => Promise<() => Promise<TrainedModel>>;

const LOADERS: Readonly<Record<LoadRoute, Loader>> = {
  load: loadAsNewModel,
  weights_info: (creation, source) => createAndLoad(creation, source, describeByWeightsInfo),
  training_run: (creation, source) => createAndLoad(creation, source, describeByTrainingRun),
};

/** Statuses by which a server says that it does not know this form of a request. */
const REFUSALS: readonly number[] = [400, 404, 405, 422];

/**
 * Makes a model from a checkpoint, by the first of the server generation's ways that the server knows. Nothing else is tried once a
 * model was made.
 *
 * @throws the error of the last way
 */
export async function loadModel(creation: ModelCreation, source: ModelSource): Promise<TrainedModel> {
  let refusal: unknown;
  for (const route of creation.channel.server.generation.loadRoutes) {
    const make = await LOADERS[route](creation, source).catch((error: unknown) => {
      if (!(error instanceof ApiStatusError) || !REFUSALS.includes(error.status)) throw error;
      // No other way leads through a session that is lost.
      if (isLostSession(error, ["session"])) throw error;
      refusal = error;
      return undefined;
    });
    if (make === undefined) continue;
    const model = await make();
    model.checkpoints.loaded(source.path, 0);
    return model;
  }
  throw refusal;
}

/** One request makes the model and loads it; its id follows from the session's. */
async function loadAsNewModel(
  creation: ModelCreation,
  source: ModelSource,
): Promise<() => Promise<TrainedModel>> {
  const { channel, modelSeqId } = creation;
  const { session } = channel;
  const modelId = modelIdOf(session, modelSeqId);
  const record = { ...source, session_id: session.id, model_seq_id: modelSeqId };
  return submitCreation(creation, "load_weights", record, modelId, (loaded) => loaded.model_id ?? modelId);
}

/** Makes a model like the checkpoint's and loads the checkpoint into it, as its first request. */
async function createAndLoad(
  creation: ModelCreation,
  source: ModelSource,
  describe: (creation: ModelCreation, source: ModelSource) => Promise<NewModel>,
): Promise<() => Promise<TrainedModel>> {
  const { path, optimizer, weights_access_token } = source;
  const description = await describe(creation, source);
  return async () => {
    const model = await createModel(creation, description);
    try {
      await runOperation(model, "load_weights", { path, optimizer, weights_access_token }, creation.context);
    } catch (error) {
      abandonModel(model);
      throw error;
    }
    return model;
  };
}

/** Shows the token that opens another account's checkpoint in place of the own key, which may not read it. */
function askedWith({ onBehalfOf, signal }: OperationContext, source: ModelSource): RequestContext {
  const { weights_access_token: token } = source;
  if (token === undefined) return { onBehalfOf, signal };
  return { onBehalfOf: { ...onBehalfOf, headers: { ...onBehalfOf.headers, "x-api-key": token } }, signal };
}

async function describeByWeightsInfo(
  { channel, context }: ModelCreation,
  source: ModelSource,
): Promise<NewModel> {
  const asked = askedWith(context, source);
  const info = await channel.session.call("weights_info", { tinker_path: source.path }, asked);
  const { train_unembed = true, train_mlp = true, train_attn = true } = info;
  return {
    base_model: source.base_model ?? info.base_model,
    lora_config: { rank: rankOf(source.path, info), train_unembed, train_mlp, train_attn },
    user_metadata: source.user_metadata,
    optimizer_config: source.optimizer_config,
  };
}

/** Servers of the 0.4 generation know what a run was, not what its checkpoints hold. */
async function describeByTrainingRun(
  { channel, context }: ModelCreation,
  source: ModelSource,
): Promise<NewModel> {
  const { training_run_id: run } = CheckpointPath.parse(source.path);
  const asked = { ...askedWith(context, source), path: { run } };
  const record = await channel.session.call("get_training_run", undefined, asked);
  return {
    base_model: source.base_model ?? record.base_model,
    lora_config: {
      rank: rankOf(source.path, record),
      train_unembed: true,
      train_mlp: true,
      train_attn: true,
    },
    user_metadata: { ...record.user_metadata, ...source.user_metadata },
  };
}

/** @throws ValidationError for a checkpoint that is not an adapter's */
function rankOf(
  path: string,
  checkpoint: { readonly is_lora: boolean; readonly lora_rank?: number },
): number {
  if (checkpoint.is_lora && checkpoint.lora_rank !== undefined) return checkpoint.lora_rank;
  throw new ValidationError(`${path} holds no LoRA adapter with a rank, so it cannot be trained on`, {
    path: ["path"],
  });
}
