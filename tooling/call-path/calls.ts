import { type DatumLike, ServiceClient } from "@tinkex/client";

/** The calls whose way is measured. */
export const CALL_NAMES = ["forwardBackward", "optimStep", "sample"] as const;
export type CallName = (typeof CALL_NAMES)[number];

/** One example of two tensors, given as lists of numbers. */
const DATUM: DatumLike = {
  model_input: [104, 105],
  loss_fn_inputs: { target_tokens: [105, 106], weights: [0, 1] },
};

export interface Calls {
  /** Makes one call and waits for its result. */
  readonly run: Readonly<Record<CallName, () => PromiseLike<unknown>>>;
  readonly close: () => Promise<void>;
}

/** Opens a training client and a sampling client of the server at `baseUrl`. */
export async function openCalls(baseUrl: string): Promise<Calls> {
  const service = new ServiceClient({ baseUrl, env: {} });
  const training = await service.createLoraTrainingClient({
    base_model: "tinkex/pocket-1",
    rank: 8,
    seed: 3,
  });
  const sampler = await training.saveWeightsAndGetSamplingClient();
  return {
    run: {
      forwardBackward: () => training.forwardBackward([DATUM], "cross_entropy"),
      optimStep: () => training.optimStep({ learning_rate: 1e-4 }),
      sample: () =>
        sampler.sample({ prompt: [104, 105], num_samples: 1, sampling_params: { max_tokens: 4 } }),
    },
    close: () => service.close(),
  };
}
