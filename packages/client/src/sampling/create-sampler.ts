import { ApiStatusError } from "@tinkex/base";
import type { CreateSamplingSessionRequest } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import type { OperationContext } from "../future/operation-context.js";
import { givenId } from "../session/given-id.js";
import type { Session } from "../session/session.js";
import type { SamplerOptions } from "./sampler-options.js";
import { type SamplingClient, samplingClientOf } from "./sampling-client.js";

/** Makes a sampler on the service and its client. */
export async function createSampler(
  channel: Channel,
  source: Pick<CreateSamplingSessionRequest, "model_path" | "base_model">,
  samplingId: number,
  context: OperationContext,
  { record_stability_info: recordsStability, retry }: SamplerOptions,
): Promise<SamplingClient> {
  const { session } = channel;
  context.sending();
  const record = { ...source, session_id: session.id, sampling_session_seq_id: samplingId };
  const created = await session.call("create_sampling_session", record, context);
  const id = givenId("sampling_session_id", created.sampling_session_id);
  const baseModel = source.base_model ?? (await askBaseModel(session, id, context));
  return samplingClientOf(channel, id, {
    modelName: baseModel,
    tokenizerId: undefined,
    recordsStability,
    retry,
  });
}

/** The model below saved weights, where the server can say. */
async function askBaseModel(
  session: Session,
  id: string,
  context: OperationContext,
): Promise<string | undefined> {
  if (!session.server.generation.describesSamplers) return undefined;
  try {
    const sampler = await session.call("get_sampler", undefined, {
      onBehalfOf: context.onBehalfOf,
      signal: context.signal,
      path: { sampler: id },
    });
    return sampler.base_model;
  } catch (error) {
    if (error instanceof ApiStatusError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
