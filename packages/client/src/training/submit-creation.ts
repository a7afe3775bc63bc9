import type { RequestOf, ResultOf } from "@tinkex/types";
import { trainingPauseLog } from "../channel/queue-state-log.js";
import { givenId } from "../session/given-id.js";
import type { Session } from "../session/session.js";
import type { ModelCreation } from "./create-model.js";
import { mayHaveArrived } from "./settle-sequence.js";
import { type TrainedModel, trainedModel } from "./trained-model.js";

/** Gives the id that official services give the model of this number. */
export function modelIdOf({ id }: Pick<Session, "id">, modelSeqId: number): string {
  return `${id}:train:${modelSeqId}`;
}

/**
 * Asks for a model, by one of the operations that make one. A request that has begun to leave goes on to its end although it is given
 * up, since the id of the model that it makes is in the answer; without it the model could not be freed. Where the answer is lost,
 * the service may have made the model all the same: it is freed by the id that follows from its number, as official services give it.
 *
 * @param what - the model as the log calls it
 * @param idOf - reads the model's id
 * @returns waits for the model, once the service has accepted the request
 */
export async function submitCreation<Name extends "create_model" | "load_weights">(
  { channel, modelSeqId, context }: ModelCreation,
  name: Name,
  record: RequestOf<Name>,
  what: string,
  idOf: (result: ResultOf<Name>) => string,
): Promise<() => Promise<TrainedModel>> {
  const { session, environment, creations } = channel;
  const { signal } = context;
  const body = session.encode(name, record, { what: context.name });
  context.sending();
  const log = trainingPauseLog(`Model creation for ${what}`, environment);
  const submitting = channel.submitBody(name, body, context, log, { stopSignal: signal });
  const made = submitting.then(({ result }) => result);
  creations.watch(made, {
    signal,
    madeAfterAll: async () => {
      const submission = await submitting.catch((error: unknown) => {
        if (mayHaveArrived(error)) return undefined;
        throw error;
      });
      if (submission === undefined) return modelIdOf(session, modelSeqId);
      return idOf(await channel.resultOf(name, submission.accepted));
    },
  });
  const { result } = await submitting;
  context.submitted();
  return async () => trainedModel(channel, givenId("model_id", idOf(await result)));
}
