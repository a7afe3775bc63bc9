import { ApiStatusError, UnsupportedByServerError } from "@tinkex/base";
import type { GetInfoResponse } from "@tinkex/types";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Session } from "../session/session.js";

/** Asks what a model is made of. @throws UnsupportedByServerError when the server has no such endpoint */
export async function readModelInfo(
  session: Session,
  modelId: string,
  method: SdkMethod,
  signal: AbortSignal,
): Promise<GetInfoResponse> {
  try {
    const info = await session.post(
      "get_info",
      ["GetInfoRequest", { model_id: modelId }],
      "GetInfoResponse",
      {
        headers: session.headers(method),
        signal,
      },
    );
    const { model_name: name, tokenizer_id: tokenizerId } = info.model_data;
    // Samplers of the same base model are not told their tokenizer.
    if (name !== undefined && tokenizerId !== undefined) session.tokenizerIds.set(name, tokenizerId);
    return info;
  } catch (cause) {
    if (!(cause instanceof ApiStatusError) || (cause.status !== 404 && cause.status !== 405)) throw cause;
    throw new UnsupportedByServerError(`the server cannot say what ${modelId} is made of (get_info)`, {
      feature: "get_info",
      cause,
    });
  }
}

/** The same for a model that was just made; a server that cannot say is tolerated. */
export async function readNewModelInfo(
  ...[session, modelId, method, signal]: Parameters<typeof readModelInfo>
): Promise<GetInfoResponse | undefined> {
  try {
    return await readModelInfo(session, modelId, method, signal);
  } catch (error) {
    if (error instanceof UnsupportedByServerError) return undefined;
    throw error;
  }
}
