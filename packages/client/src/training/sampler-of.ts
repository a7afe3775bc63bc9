import type { OperationContext } from "../future/operation-context.js";
import { createSampler } from "../sampling/create-sampler.js";
import type { SamplerOptions } from "../sampling/sampler-options.js";
import type { SamplingClient } from "../sampling/sampling-client.js";
import { isLostSession } from "../session/session-lost-error.js";
import { lostError } from "./settle-sequence.js";
import type { TrainedModel } from "./trained-model.js";

/**
 * Makes a sampling client of saved weights in a model's session.
 *
 * @throws SessionLostError, which names the last checkpoint, where the session turns out to be lost; the service is asked, as it may be
 *   the weights that are missing
 */
export async function samplerOf(
  model: TrainedModel,
  path: string,
  samplingId: number,
  context: OperationContext,
  options: SamplerOptions,
): Promise<SamplingClient> {
  try {
    return await createSampler(model.channel, { model_path: path }, samplingId, context, options);
  } catch (error) {
    const isLost = isLostSession(error) && (await model.channel.session.ask()) === "lost";
    throw isLost ? lostError(model, error) : error;
  }
}
