import { ValidationError } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import type { SampledSequence, SamplingParams } from "@tinkex/types";
import type { Turn } from "./conversation.js";

/**
 * The first answers of a group whose members are shown the same prompt: one request draws all of them, so that the service reads the
 * prompt once.
 */
export class FirstTurns {
  readonly #requests = new Map<
    string,
    { readonly sequences: Promise<readonly SampledSequence[]>; taken: number }
  >();
  readonly #sampler: SamplingClient;
  readonly #count: number;

  /** @param count - members of the group */
  constructor(sampler: SamplingClient, count: number) {
    this.#sampler = sampler;
    this.#count = count;
  }

  /** Takes an answer that no other member has. */
  async take(
    { prompt }: Turn,
    sampling_params: SamplingParams,
    signal: AbortSignal | undefined,
  ): Promise<SampledSequence> {
    const key = JSON.stringify(prompt);
    let request = this.#requests.get(key);
    if (request === undefined) {
      const params = { prompt, sampling_params, num_samples: this.#count };
      request = {
        sequences: this.#sampler.sample(params, { signal }).then(({ sequences }) => sequences),
        taken: 0,
      };
      this.#requests.set(key, request);
    }
    const place = request.taken;
    request.taken += 1;
    const sample = (await request.sequences)[place];
    if (sample === undefined) throw new ValidationError(`the service gave fewer than ${this.#count} samples`);
    return sample;
  }
}
