import { errorMessage, UnsupportedByServerError } from "@tinkex/base";
import type { CreateModelRequest } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import type { OperationContext } from "../future/operation-context.js";
import { unloadModels } from "../session/finish-session.js";
import { SessionLostError } from "../session/session-lost-error.js";
import { modelNameOf, readModelInfo } from "./model-info.js";
import { submitCreation } from "./submit-creation.js";
import type { TrainedModel } from "./trained-model.js";
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
  const { channel, modelSeqId } = creation;
  const record = { ...model, session_id: channel.session.id, model_seq_id: modelSeqId };
  const { base_model } = model;
  const made = await submitCreation(creation, "create_model", record, base_model, ({ model_id }) => model_id);
  return made();
}

/** Frees a model that nobody is given, since what came after its creation has failed. Is not waited for, and never rejects. */
export function abandonModel({ channel, id, leaveSession }: TrainedModel): void {
  leaveSession();
  void unloadModels(channel.session, [id]).then(() => channel.models.delete(id));
}

/**
 * The client of a model that was just made. A server that cannot say what the model is made of is tolerated, and so is one that does
 * not know it yet: whether it is lost the first operation shows. After any other error the model is freed again.
 *
 * @param asked - the base model that was asked for, where one was
 */
export async function clientOf(
  model: TrainedModel,
  { context }: ModelCreation,
  asked?: string,
): Promise<TrainingClient> {
  const { logger } = model.channel.environment;
  const info = await readModelInfo(model, context).catch((error: unknown) => {
    if (error instanceof UnsupportedByServerError) return undefined;
    if (error instanceof SessionLostError) {
      logger.warn(`the service has made ${model.id} and does not know it: ${errorMessage(error.cause)}`);
      return undefined;
    }
    abandonModel(model);
    throw error;
  });
  const made = modelNameOf(info);
  if (asked !== undefined && made !== undefined && made !== asked) {
    logger.warn(`the service has made ${model.id} of ${made}, where ${asked} was asked for`);
  }
  return trainingClientOf(model, info);
}
