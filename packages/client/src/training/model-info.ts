import { ApiStatusError, UnsupportedByServerError } from "@tinkex/base";
import type { GetInfoResponse } from "@tinkex/types";
import type { OperationContext } from "../future/operation-context.js";
import type { Session } from "../session/session.js";

/** Asks what a model is made of. @throws UnsupportedByServerError when the server has no such endpoint */
export async function readModelInfo(
  session: Session,
  modelId: string,
  context: OperationContext,
): Promise<GetInfoResponse> {
  try {
    const info = await session.call("get_info", { model_id: modelId }, context);
    const { model_name: name, tokenizer_id: tokenizerId } = info.model_data;
    if (name !== undefined && tokenizerId !== undefined)
      session.environment.tokenizers.learn(name, tokenizerId);
    return info;
  } catch (cause) {
    if (!(cause instanceof ApiStatusError) || (cause.status !== 404 && cause.status !== 405)) throw cause;
    throw new UnsupportedByServerError(`the server cannot say what ${modelId} is made of (get_info)`, {
      feature: "get_info",
      cause,
    });
  }
}
