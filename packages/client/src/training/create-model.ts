import { UnsupportedByServerError } from "@tinkex/base";
import type { CreateModelRequest } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import { trainingPauseLog } from "../channel/queue-state-log.js";
import type { OperationContext } from "../future/operation-context.js";
import { unloadModels } from "../session/finish-session.js";
import { modelNameOf, readModelInfo } from "./model-info.js";
import { type TrainedModel, trainedModel } from "./trained-model.js";
import { type TrainingClient, trainingClientOf } from "./training-client.js";

/** A model to be made: where, under which number, and on whose behalf. */
export interface ModelCreation {
  readonly channel: Channel;
  readonly modelSeqId: number;
  readonly context: OperationContext;
}

/** The properties of a new model. */
export type NewModel = Omit<CreateModelRequest, "session_id" | "model_seq_id" | "type">;

/** Makes a model with a fresh adapter. */
export async function createModel(creation: ModelCreation, model: NewModel): Promise<TrainedModel> {
  const { channel, modelSeqId, context } = creation;
  const { session } = channel;
  const log = trainingPauseLog(`Model creation for ${model.base_model}`, channel.environment);
  const record = { ...model, session_id: session.id, model_seq_id: modelSeqId };
  const { accepted, result } = await channel.submit("create_model", record, context, log);
  context.submitted();
  try {
    return trainedModel(channel, (await result).model_id);
  } catch (error) {
    if (context.signal.aborted) void freeWhenMade(channel, channel.resultOf("create_model", accepted));
    throw error;
  }
}

/** Frees a model whose creation was given up, once it is made. Never rejects. */
export async function freeWhenMade(
  channel: Channel,
  made: Promise<{ readonly model_id?: string | undefined }>,
): Promise<void> {
  // One that was not made after all need not be freed.
  const { model_id: id } = await made.catch(() => ({ model_id: undefined }));
  if (id !== undefined) await unloadModels(channel.session, [id]);
}

/** Frees a model that nobody is given, since what came after its creation has failed. Is not waited for, and never rejects. */
export function abandonModel({ channel, id, leaveSession }: TrainedModel): void {
  leaveSession();
  void unloadModels(channel.session, [id]).then(() => channel.models.delete(id));
}

/**
 * The client of a model that was just made. A server that cannot say what the model is made of is tolerated; after any other error
 * the model is freed again.
 *
 * @param asked - the base model that was asked for, where one was
 */
export async function clientOf(
  model: TrainedModel,
  { context }: ModelCreation,
  asked?: string,
): Promise<TrainingClient> {
  const info = await readModelInfo(model.channel.session, model.id, context).catch((error: unknown) => {
    if (error instanceof UnsupportedByServerError) return undefined;
    abandonModel(model);
    throw error;
  });
  const made = modelNameOf(info);
  if (asked !== undefined && made !== undefined && made !== asked) {
    const { logger } = model.channel.environment;
    logger.warn(`the service has made ${model.id} of ${made}, where ${asked} was asked for`);
  }
  return trainingClientOf(model, info);
}
