import { ApiStatusError, ResponseError } from "@tinkex/base";
import type {
  LoadWeightsResponse,
  SamplingClientKind,
  SaveWeightsForSamplerResponse,
  SaveWeightsResponse,
} from "@tinkex/types";
import type { OperationContext } from "../../future/operation-context.js";
import { givenId } from "../../session/given-id.js";
import { runOperation, type TrainedModel } from "../trained-model.js";
import type { LoadOptions } from "../training-options.js";
import type { SamplerSaveOptions, SaveOptions } from "./save-options.js";
import { saveUnderName } from "./save-under-name.js";
import { withRemedy } from "./with-remedy.js";

/** Weights to sample from that were saved under a name: the path is there. */
export type NamedSamplerWeights = SaveWeightsForSamplerResponse & { readonly path: string };

/** Saves weights and optimizer state, and remembers them as the checkpoint to go on from. */
export async function runSave(
  model: TrainedModel,
  name: string,
  { ttl_seconds, user_metadata, onConflict, ...options }: SaveOptions,
  context: OperationContext,
): Promise<SaveWeightsResponse> {
  const overwrite = options.overwrite ?? onConflict === "overwrite";
  const fields = { path: name, ttl_seconds, user_metadata, overwrite };
  const save = { type: "training", name, onConflict, wasToReplace: overwrite } as const;
  const saved = await saveUnderName(model, save, context, (recover) =>
    runOperation(model, "save_weights", fields, context, recover),
  );
  model.checkpoints.saved(givenId("path", saved.path), context.seqId, ttl_seconds);
  return saved;
}

/** Saves weights to sample from. @throws ResponseError when the service gives no path for them */
export async function runSamplerSave(
  model: TrainedModel,
  name: string,
  { ttl_seconds, user_metadata, onConflict }: SamplerSaveOptions,
  context: OperationContext,
): Promise<NamedSamplerWeights> {
  const fields = { path: name, ttl_seconds, user_metadata };
  const saved = await saveUnderName(model, { type: "sampler", name, onConflict }, context, (recover) =>
    runOperation(model, "save_weights_for_sampler", fields, context, recover),
  );
  if (saved.path === undefined) throw new ResponseError(`the service saved ${name} and gave no path for it`);
  return { ...saved, path: givenId("path", saved.path) };
}

/** Words of the service where a model has done something before it is to load weights. */
const TOO_LATE = /\bnot permitted with seq_id\b/;

/** Names the call that makes a new model of a checkpoint, with the optimizer's state where that was wanted. */
function loadRemedy(hasOptimizer: boolean): string {
  const call = `createTrainingClientFromState${hasOptimizer ? "WithOptimizer" : ""}(path)`;
  return `a model loads weights before it does anything else; ${call} makes a new one of them`;
}

/** Loads a checkpoint into a model that exists, and remembers it as the one to go on from. */
export async function runLoad(
  model: TrainedModel,
  path: string,
  hasOptimizer: boolean,
  { weights_access_token }: LoadOptions,
  context: OperationContext,
): Promise<LoadWeightsResponse> {
  const fields = { path, optimizer: hasOptimizer, weights_access_token };
  const loaded = await runOperation(model, "load_weights", fields, context).catch((error: unknown) => {
    const isTooLate = error instanceof ApiStatusError && TOO_LATE.test(error.message);
    throw isTooLate ? withRemedy(error, loadRemedy(hasOptimizer)) : error;
  });
  model.checkpoints.loaded(path, context.seqId);
  return loaded;
}

/** Saves weights without a name, and gives the id of the sampler that has them. @throws ResponseError when the service gives none */
export async function runSamplingSave(
  model: TrainedModel,
  kind: SamplingClientKind | undefined,
  samplingId: number,
  context: OperationContext,
): Promise<string> {
  const fields = { sampling_session_seq_id: samplingId, kind };
  const saved = await runOperation(model, "save_weights_for_sampler", fields, context);
  if (saved.sampling_session_id !== undefined)
    return givenId("sampling_session_id", saved.sampling_session_id);
  throw new ResponseError("the service saved the weights and gave no sampling session for them");
}
