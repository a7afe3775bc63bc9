import { ApiStatusError } from "@tinkex/base";
import type { CreateSamplingSessionRequest } from "@tinkex/types";
import { decodeJsonResponse } from "@tinkex/wire";
import type { FutureWork } from "../future/operation-context.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Session } from "../session/session.js";
import { SamplingClient } from "./sampling-client.js";

const METHOD: SdkMethod = "ServiceClient.create_sampling_client";

/** Makes a sampler on the service and its client. */
export async function createSampler(
  session: Session,
  source: Pick<CreateSamplingSessionRequest, "model_path" | "base_model">,
  samplingId: number,
  work: FutureWork,
): Promise<SamplingClient> {
  work.sending();
  const { sampling_session_id: id } = await session.post(
    "create_sampling_session",
    [
      "CreateSamplingSessionRequest",
      { ...source, session_id: session.id, sampling_session_seq_id: samplingId },
    ],
    "CreateSamplingSessionResponse",
    { headers: session.headers(METHOD), signal: work.signal },
  );
  const baseModel = source.base_model ?? (await askBaseModel(session, id, work.signal));
  return new SamplingClient(session, id, { baseModel, tokenizerId: undefined });
}

/** The model below saved weights, where the server can say. */
async function askBaseModel(session: Session, id: string, signal: AbortSignal): Promise<string | undefined> {
  if (!session.server.generation.describesSamplers) return undefined;
  try {
    const response = await session.core.transport.call({
      operation: "get_sampler",
      pathParameters: { sampler: id },
      headers: session.headers(METHOD),
      signal,
    });
    return decodeJsonResponse("GetSamplerResponse", response.body).base_model;
  } catch (error) {
    if (error instanceof ApiStatusError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
