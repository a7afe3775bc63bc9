import type { CreateModelRequest } from "@tinkex/types";
import { trainingPauseLog } from "../channel/queue-state-log.js";
import type { FutureWork } from "../future/operation-context.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Session } from "../session/session.js";
import { readNewModelInfo } from "./model-info.js";
import { type TrainedModel, trainedModel } from "./trained-model.js";
import { TrainingClient } from "./training-client.js";

/** A model to be made: where, under which number, and on whose behalf. */
export interface ModelCreation {
  readonly session: Session;
  readonly modelSeqId: number;
  readonly method: SdkMethod;
  readonly work: FutureWork;
  readonly startedAtMs: number;
}

/** What a new model is like. */
export type NewModel = Omit<CreateModelRequest, "session_id" | "model_seq_id" | "type">;

/** Makes a model with a fresh adapter. */
export async function createModel(creation: ModelCreation, model: NewModel): Promise<TrainedModel> {
  const { session, modelSeqId, method, work, startedAtMs } = creation;
  const { result } = await session.submit({
    method,
    requestType: "CreateModel",
    resultName: "CreateModelResponse",
    work,
    log: trainingPauseLog(`Model creation for ${model.base_model}`, session.core.settings),
    startedAtMs,
    send: (headers) =>
      session.post(
        "create_model",
        ["CreateModelRequest", { ...model, session_id: session.id, model_seq_id: modelSeqId }],
        "UntypedAPIFuture",
        { headers, signal: work.signal, onSend: () => work.sending() },
      ),
  });
  work.submitted();
  return trainedModel(session, (await result).model_id);
}

/** The client of a model that was just made. */
export async function clientOf(
  model: TrainedModel,
  { method, work }: ModelCreation,
): Promise<TrainingClient> {
  return new TrainingClient(model, await readNewModelInfo(model.session, model.id, method, work.signal));
}
