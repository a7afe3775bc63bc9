import { checkFunction, checkObject, describeValue, ValidationError } from "@tinkex/base";
import type { SamplingClient, ServiceClient } from "@tinkex/client";
import { isCheckpointPath } from "./open-training.js";

/** A model to sample from: a client, the path of sampler weights (`tinker://…`), or the name of a base model. */
export type SamplerChoice = SamplingClient | string;

/** @throws ValidationError for what is no sampler, or a name without a service that knows it */
export function checkSampler(
  choice: SamplerChoice | undefined,
  service: ServiceClient | undefined,
  place: string,
): void {
  if (typeof choice === "string" && choice !== "") {
    const [method = place] = place.split(":", 1);
    checkObject(service, `${method}: service`, "new ServiceClient()");
    checkFunction(service?.createSamplingClient, `${method}: service.createSamplingClient`);
    return;
  }
  if (typeof choice === "object" && choice !== null && typeof choice.sample === "function") return;
  throw new ValidationError(
    `${place} must be a sampling client, the path of a checkpoint or the name of a model, got ${describeValue(choice)}`,
  );
}

/**
 * Checks that what is written into a file of answers can be told apart from the answers of other weights.
 *
 * @throws ValidationError for a sampling client, of which nothing is known after a restart
 */
export function checkFileSampler(choice: SamplerChoice, place: string): void {
  if (typeof choice === "string") return;
  throw new ValidationError(
    `${place} must be the path of a checkpoint or the name of a model where there is a file, since a client does not say which weights it has`,
  );
}

/** A sampling client, and a function that closes it if it was made here. */
export interface OpenedSampler {
  readonly sampler: SamplingClient;
  readonly close: () => Promise<void>;
}

/** Makes a sampling client of a path or a name; a client is taken as it is, and stays open. */
export async function openSampler(
  choice: SamplerChoice,
  service: ServiceClient | undefined,
  signal: AbortSignal | undefined,
): Promise<OpenedSampler> {
  if (typeof choice !== "string") return { sampler: choice, close: async () => {} };
  if (service === undefined) throw new ValidationError(`a service is needed to sample from ${choice}`);
  const weights = isCheckpointPath(choice) ? { model_path: choice } : { base_model: choice };
  const sampler = await service.createSamplingClient(weights, { signal });
  return { sampler, close: () => sampler.close() };
}

/** Runs work with a sampling client. One that is made here is closed afterwards. */
export async function withSampler<Result>(
  choice: SamplerChoice,
  service: ServiceClient | undefined,
  signal: AbortSignal | undefined,
  work: (sampler: SamplingClient) => Promise<Result>,
): Promise<Result> {
  const { sampler, close } = await openSampler(choice, service, signal);
  try {
    return await work(sampler);
  } finally {
    await close();
  }
}

/** Runs work with several sampling clients, in their order. */
export async function withSamplers<Result>(
  [first, ...rest]: readonly SamplerChoice[],
  service: ServiceClient | undefined,
  signal: AbortSignal | undefined,
  work: (samplers: readonly SamplingClient[]) => Promise<Result>,
): Promise<Result> {
  if (first === undefined) return work([]);
  return withSampler(first, service, signal, (sampler) =>
    withSamplers(rest, service, signal, (others) => work([sampler, ...others])),
  );
}
