import { ValidationError } from "@tinkex/base";
import type { SampledSequence, SamplingParams } from "@tinkex/types";
import type { Turn } from "./conversation.js";
import type { EpisodeSampler } from "./counted-sampler.js";

/** Request of the answers of a whole group. */
interface SharedRequest {
  readonly prompt: string;
  readonly sequences: Promise<readonly SampledSequence[]>;
  taken: number;
}

/**
 * The first answers of a group whose members are shown the same prompt: one request draws all of them, so that the service reads the
 * prompt once. A member that is shown another prompt than the first one asks for its own answer.
 */
export class FirstTurns {
  #shared: SharedRequest | undefined;
  readonly #sampler: EpisodeSampler;
  readonly #count: number;

  /** @param count - members of the group */
  constructor(sampler: EpisodeSampler, count: number) {
    this.#sampler = sampler;
    this.#count = count;
  }

  /** Takes an answer that no other member has. */
  async take(
    { prompt }: Turn,
    sampling_params: SamplingParams,
    signal: AbortSignal | undefined,
  ): Promise<SampledSequence> {
    const draw = async (num_samples: number) =>
      (await this.#sampler.sample({ prompt, sampling_params, num_samples }, { signal })).sequences;
    const key = JSON.stringify(prompt);
    this.#shared ??= { prompt: key, sequences: draw(this.#count), taken: 0 };
    const isShared = this.#shared.prompt === key;
    const place = isShared ? this.#shared.taken : 0;
    if (isShared) this.#shared.taken += 1;
    const sample = (await (isShared ? this.#shared.sequences : draw(1)))[place];
    if (sample !== undefined) return sample;
    throw new ValidationError(`the service gave fewer than ${isShared ? this.#count : 1} samples`);
  }
}
