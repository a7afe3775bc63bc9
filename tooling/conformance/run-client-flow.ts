import { ServiceClient } from "@tinkex/client";
import type { Flow, FlowResult } from "./flow.js";

/** Tokens of a text: the flow is ASCII, and the built-in model reads bytes. */
function tokensOf(text: string): number[] {
  return [...Buffer.from(text, "ascii")];
}

function datumOf({ prompt, answer }: Flow["data"][number]) {
  const tokens = [...tokensOf(prompt), ...tokensOf(answer)];
  const isAnswered = (index: number) => index + 1 >= prompt.length;
  return {
    model_input: tokens.slice(0, -1),
    loss_fn_inputs: {
      target_tokens: tokens.slice(1),
      weights: tokens.slice(1).map((_, index) => (isAnswered(index) ? 1 : 0)),
    },
  };
}

/** What `python_sdk_flow.py` does, with the TypeScript client. */
export async function runClientFlow(baseUrl: string, baseModel: string, flow: Flow): Promise<FlowResult> {
  const { rank, seed, learning_rate } = flow;
  const service = new ServiceClient({ baseUrl, env: {} });
  try {
    const training = await service.createLoraTrainingClient({ base_model: baseModel, rank, seed });
    const data = flow.data.map(datumOf);
    const losses: number[] = [];
    for (let step = 0; step < flow.steps; step++) {
      const pass = training.forwardBackward(data, "cross_entropy");
      const stepped = training.optimStep({ learning_rate });
      losses.push((await pass).metrics["loss:sum"] ?? Number.NaN);
      await stepped;
    }
    const sampler = await training.saveWeightsAndGetSamplingClient();
    const { sequences } = await sampler.sample({
      prompt: tokensOf(flow.sample.prompt),
      num_samples: 1,
      sampling_params: { max_tokens: flow.sample.max_tokens, temperature: 0 },
    });
    return {
      losses,
      tokens: [...(sequences[0]?.tokens ?? [])],
      logprobs: [...(sequences[0]?.logprobs ?? [])],
    };
  } finally {
    await service.close();
  }
}
