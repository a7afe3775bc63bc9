import { ApiStatusError, ValidationError } from "@tinkex/base";
import { CheckpointPath, checkReceived, type LoadWeightsRequest, trainingRunSchema } from "@tinkex/types";
import { parseJson } from "@tinkex/wire";
import { trainingPauseLog } from "../../channel/queue-state-log.js";
import type { LoadRoute } from "../../session/server-generation.js";
import { createModel, type ModelCreation, type NewModel } from "../create-model.js";
import { runSingleRequest } from "../single-request.js";
import { type TrainedModel, trainedModel } from "../trained-model.js";

/** What is loaded into a new model, and how. */
export type ModelSource = Pick<
  LoadWeightsRequest,
  "path" | "base_model" | "user_metadata" | "optimizer" | "optimizer_config" | "weights_access_token"
>;

/** A way to make a model from a checkpoint. */
type Loader = (creation: ModelCreation, source: ModelSource) => Promise<TrainedModel>;

const LOADERS: Readonly<Record<LoadRoute, Loader>> = {
  load: loadAsNewModel,
  weights_info: (creation, source) => createAndLoad(creation, source, describeByWeightsInfo),
  training_run: (creation, source) => createAndLoad(creation, source, describeByTrainingRun),
};

/** Statuses by which a server says that it does not know this form of a request. */
const REFUSALS: readonly number[] = [400, 404, 405, 422];

/**
 * Makes a model from a checkpoint, by the first of the server generation's ways that the server knows.
 *
 * @throws the error of the last way
 */
export async function loadModel(creation: ModelCreation, source: ModelSource): Promise<TrainedModel> {
  const [first, ...others] = creation.session.server.generation.loadRoutes;
  let attempt = LOADERS[first](creation, source);
  for (const route of others) {
    attempt = attempt.catch((error: unknown) => {
      if (!(error instanceof ApiStatusError) || !REFUSALS.includes(error.status)) throw error;
      return LOADERS[route](creation, source);
    });
  }
  return attempt;
}

/** One request makes the model and loads it; its id follows from the session's. */
async function loadAsNewModel(creation: ModelCreation, source: ModelSource): Promise<TrainedModel> {
  const { session, modelSeqId, method, work, startedAtMs } = creation;
  const modelId = `${session.id}:train:${modelSeqId}`;
  const { result } = await session.submit({
    method,
    requestType: "LoadWeights",
    resultName: "LoadWeightsResponse",
    work,
    log: trainingPauseLog(`Model creation for ${modelId}`, session.core.settings),
    startedAtMs,
    send: (headers) =>
      session.post(
        "load_weights",
        ["LoadWeightsRequest", { ...source, session_id: session.id, model_seq_id: modelSeqId }],
        "UntypedAPIFuture",
        { headers, signal: work.signal, onSend: () => work.sending() },
      ),
  });
  work.submitted();
  return trainedModel(session, (await result).model_id ?? modelId);
}

/** Makes a model like the checkpoint's and loads the checkpoint into it, as its first request. */
async function createAndLoad(
  creation: ModelCreation,
  source: ModelSource,
  describe: (creation: ModelCreation, source: ModelSource) => Promise<NewModel>,
): Promise<TrainedModel> {
  const { method, work, startedAtMs } = creation;
  const { path, optimizer, weights_access_token } = source;
  const model = await createModel(creation, await describe(creation, source));
  await runSingleRequest(
    model,
    {
      method,
      operation: "load_weights",
      requestType: "LoadWeights",
      requestName: "LoadWeightsRequest",
      record: (seqId) => ({ model_id: model.id, seq_id: seqId, path, optimizer, weights_access_token }),
      resultName: "LoadWeightsResponse",
    },
    work,
    startedAtMs,
  );
  return model;
}

async function describeByWeightsInfo(creation: ModelCreation, source: ModelSource): Promise<NewModel> {
  const { session, method, work } = creation;
  const info = await session.post(
    "weights_info",
    ["WeightsInfoRequest", { tinker_path: source.path }],
    "WeightsInfoResponse",
    {
      headers: session.headers(method),
      signal: work.signal,
    },
  );
  const { train_unembed = true, train_mlp = true, train_attn = true } = info;
  return {
    base_model: source.base_model ?? info.base_model,
    lora_config: { rank: rankOf(source.path, info), train_unembed, train_mlp, train_attn },
    user_metadata: source.user_metadata,
    optimizer_config: source.optimizer_config,
  };
}

/** Servers of the 0.4 generation know what a run was, not what its checkpoints hold. */
async function describeByTrainingRun(creation: ModelCreation, source: ModelSource): Promise<NewModel> {
  const { session, method, work } = creation;
  const { training_run_id: run } = CheckpointPath.parse(source.path);
  const response = await session.core.transport.call({
    operation: "get_training_run",
    pathParameters: { run },
    headers: session.headers(method),
    signal: work.signal,
  });
  const record = checkReceived(trainingRunSchema, parseJson(response.body, "TrainingRun"), "TrainingRun");
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
