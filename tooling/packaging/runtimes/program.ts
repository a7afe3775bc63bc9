/** Trains a step, saves and samples on the server that TINKER_BASE_URL names, and closes. */
export const PROGRAM = `import { ModelInput, ServiceClient } from "@tinkex/client";
export async function trainAndSample(options = {}) {
  const service = new ServiceClient(options);
  try {
    const training = await service.createLoraTrainingClient({ base_model: "tinkex/pocket-1", rank: 4 });
    const datum = {
      model_input: ModelInput.fromInts([1, 2, 3, 4]),
      loss_fn_inputs: { target_tokens: [2, 3, 4, 5], weights: [1, 1, 1, 1] },
    };
    const pass = training.forwardBackward([datum], "cross_entropy");
    await training.optimStep({ learning_rate: 1e-3 });
    const sampler = await training.saveWeightsAndGetSamplingClient();
    const { sequences } = await sampler.sample({ prompt: [1, 2, 3], sampling_params: { max_tokens: 5 } });
    return { loss: (await pass).metrics["loss:sum"], sampled: sequences[0]?.tokens.length };
  } finally {
    await service.close();
  }
}
`;

/** Prints the program's result as the last line of its output. */
export const MAIN = `import { trainAndSample } from "./program.js";
console.log(JSON.stringify(await trainAndSample()));
`;
