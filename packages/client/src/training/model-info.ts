import { ApiStatusError, ClosedError, UnsupportedByServerError } from "@tinkex/base";
import type { GetInfoResponse } from "@tinkex/types";
import type { OperationContext } from "../future/operation-context.js";
import { isLostSession } from "../session/session-lost-error.js";
import { lostError } from "./settle-sequence.js";
import type { TrainedModel } from "./trained-model.js";

/**
 * Asks what a model is made of.
 *
 * @throws UnsupportedByServerError when the server has no such endpoint; SessionLostError when it no longer knows the model
 */
export async function readModelInfo(
  model: TrainedModel,
  context: OperationContext,
): Promise<GetInfoResponse> {
  const { session } = model.channel;
  try {
    const info = await session.call("get_info", { model_id: model.id }, context);
    const { model_name: name, tokenizer_id: tokenizerId } = info.model_data;
    if (name !== undefined && tokenizerId !== undefined)
      session.environment.tokenizers.learn(name, tokenizerId);
    return info;
  } catch (cause) {
    // The model, and its session, are all that the request names.
    if (isLostSession(cause)) throw lostError(model, cause);
    if (!(cause instanceof ApiStatusError) || (cause.status !== 404 && cause.status !== 405)) throw cause;
    throw new UnsupportedByServerError(`the server cannot say what ${model.id} is made of (get_info)`, {
      feature: "get_info",
      cause,
    });
  }
}

/**
 * Frees a model on the service, in its turn; further operations of it fail with `ClosedError`.
 *
 * @throws UnsupportedByServerError when the server has no such endpoint; SessionLostError when it no longer knows the model
 */
export async function unloadModel(model: TrainedModel, context: OperationContext): Promise<void> {
  const { channel, turns, id, log } = model;
  const { result } = await turns.runExclusive(context.signal, async () => {
    try {
      return await channel.submit("unload_model", { model_id: id }, context, log);
    } catch (cause) {
      if (isLostSession(cause)) throw lostError(model, cause);
      if (!(cause instanceof ApiStatusError) || (cause.status !== 404 && cause.status !== 405)) throw cause;
      throw new UnsupportedByServerError(`the server cannot unload ${id} (unload_model)`, {
        feature: "unload_model",
        cause,
      });
    }
  });
  channel.models.delete(id);
  model.leaveSession();
  turns.break(new ClosedError(`the model ${id} was unloaded`));
  context.submitted();
  await result;
}

/** The name of the model below an adapter, where the service has said it. */
export function modelNameOf(info: GetInfoResponse | undefined): string | undefined {
  return info?.model_data.model_name ?? info?.model_name;
}
