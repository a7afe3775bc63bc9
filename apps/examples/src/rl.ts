// Reinforcement learning: draws groups of samples, rewards what words begin with an "s", and trains on what was better than its group.
//
//   node apps/examples/dist/rl.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/rl.js   on a hosted service
import { parseArgs } from "node:util";
import { startLocalServer } from "@tinkex/local";
import { type DatumLike, type SampledSequence, ServiceClient } from "tinkex";

const { values: options } = parseArgs({
  options: { steps: { type: "string", default: "6" }, model: { type: "string" } },
});
const steps = Number(options.steps);
const GROUP_SIZE = 10;
const MAX_TOKENS = 24;
const LEARNING_RATE = 3e-3;
const PROMPTS = [
  "The name of the ",
  "We saw a ",
  "It was the ",
  "There is a ",
  "One of the ",
  "He went to the ",
];

/** The reward of an answer, from 0 to 1: the share of its words that begin with an "s". Fewer than three words earn nothing. */
function rewardOf(answer: string): number {
  const words = answer.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.length < 3 ? 0 : words.filter((word) => word.startsWith("s")).length / words.length;
}

/**
 * A sample as a training example. Position i of the input predicts `target_tokens[i]`, the token behind it; each sampled token
 * has the log-probability it was drawn with and the sample's advantage, those of the prompt have 0 for both.
 */
function policyDatum(prompt: readonly number[], sample: SampledSequence, advantage: number): DatumLike {
  const tokens = [...prompt, ...sample.tokens];
  const unscored = new Array<number>(prompt.length - 1).fill(0);
  return {
    model_input: tokens.slice(0, -1),
    loss_fn_inputs: {
      target_tokens: tokens.slice(1),
      logprobs: [...unscored, ...(sample.logprobs ?? [])],
      advantages: [...unscored, ...new Array<number>(sample.tokens.length).fill(advantage)],
    },
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

// A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
const isHosted = Boolean(process.env.TINKER_API_KEY || process.env.TINKER_BASE_URL);
await using server = isHosted ? undefined : await startLocalServer();
await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
const base_model = options.model ?? (isHosted ? "Qwen/Qwen3-8B" : "tinkex/pocket-1");

const training = await service.createLoraTrainingClient({ base_model, rank: 16, seed: 1 });
const tokenizer = await training.getTokenizer();
const prompts = PROMPTS.map((text) => tokenizer.encode(text));

const rewards: number[] = [];
for (let step = 0; step < steps; step += 1) {
  // The policy as it is now, which draws a group of samples of each prompt.
  const sampler = await training.saveWeightsAndGetSamplingClient();
  const groups = await Promise.all(
    prompts.map(async (prompt, index) => {
      const seed = 1 + step * prompts.length + index;
      const sampling_params = { max_tokens: MAX_TOKENS, temperature: 1, seed };
      const { sequences } = await sampler.sample({ prompt, num_samples: GROUP_SIZE, sampling_params });
      const scored = sequences.map((sample) => {
        const text = tokenizer.decode(sample.tokens, { skipSpecialTokens: true });
        return { sample, text, reward: rewardOf(text) };
      });
      return { prompt, scored, baseline: mean(scored.map(({ reward }) => reward)) };
    }),
  );

  // The advantage of a sample is how far its reward is above the mean of its group. Losses are sums: scaling the
  // advantages keeps a step the same size whatever the number of tokens is.
  const sampleCount = prompts.length * GROUP_SIZE;
  const data = groups.flatMap(({ prompt, scored, baseline }) =>
    scored
      .filter(({ reward, sample }) => reward !== baseline && sample.tokens.length > 0)
      .map(({ sample, reward }) => policyDatum(prompt, sample, (reward - baseline) / sampleCount)),
  );
  if (data.length > 0) {
    const pass = training.forwardBackward(data, "importance_sampling"); // sent at once
    const update = training.optimStep({ learning_rate: LEARNING_RATE }); // runs right behind it
    await Promise.all([pass, update]);
  }

  const best = groups.flatMap(({ scored }) => scored).reduce((a, b) => (b.reward > a.reward ? b : a));
  rewards.push(mean(groups.map(({ baseline }) => baseline)));
  console.log(
    `step ${step + 1}/${steps}  mean reward ${rewards.at(-1)?.toFixed(3)}  best ${JSON.stringify(best.text)}`,
  );
}

const { path } = await training.saveState("rl");
console.log(`weights saved: ${path}`);
console.log(`mean reward: ${rewards[0]?.toFixed(3)} -> ${rewards.at(-1)?.toFixed(3)}`);
