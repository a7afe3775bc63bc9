import type { ServiceClient } from "@tinkex/client";
import { klMetrics, trajectoryDatums } from "@tinkex/recipes";
import { ModelInput } from "@tinkex/types";

/**
 * Distance between the sampler and the trainer over answers to a few prompts, before anything is trained. Both have the same weights, so
 * that anything but rounding means that they do not see the same tokens.
 *
 * @param model - a base model, or the path of a training checkpoint, `tinker://…/weights/…`
 */
export async function samplerAgainstTrainer(
  service: ServiceClient,
  model: string,
  prompts: readonly string[],
): Promise<number | undefined> {
  const training = await (model.startsWith("tinker://")
    ? service.createTrainingClientFromState(model)
    : service.createLoraTrainingClient({ base_model: model, rank: 8, seed: 1 }));
  const sampler = await training.saveWeightsAndGetSamplingClient();
  const tokenizer = await training.getTokenizer();
  const answered = await Promise.all(
    prompts.map(async (text, index) => {
      const prompt = ModelInput.fromInts(tokenizer.encode(text));
      const { sequences } = await sampler.sample({
        prompt,
        sampling_params: { max_tokens: 8, temperature: 1, seed: index },
      });
      const { tokens = [], logprobs = [] } = sequences[0] ?? {};
      return trajectoryDatums([{ prompt, tokens, logprobs }], 1);
    }),
  );
  const data = answered.flat();
  const { loss_fn_outputs } = await training.forward(
    data.map(({ datum }) => datum),
    "importance_sampling",
  );
  const distance = klMetrics(
    data.map(({ logprobs, mask }, index) => {
      const trained = loss_fn_outputs[index]?.logprobs?.data ?? [];
      return { logprobs, mask, reference: Array.from(trained, Number) };
    }),
  );
  await training.close();
  return distance["optim/kl_sample_train_v1"];
}
