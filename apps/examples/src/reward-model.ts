// Teaches a language model to please a model of yours: the reward is what a tf.LayersModel says of its answers.
//
//   node apps/examples/dist/reward-model.js                        on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/reward-model.js   on a hosted service
import * as tf from "@tensorflow/tfjs";
import { type SamplingClient, ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { pickBackend } from "tinkex/tfjs";
import { BUNDLED_DATA } from "./quickstart/options.js";
import { runProgram } from "./quickstart/run-program.js";
import { loadWordPairs } from "./quickstart/word-pairs.js";
import { policyDatum } from "./reward-model/policy-datum.js";
import { judgeAnswers, trainWordJudge } from "./reward-model/word-judge.js";

const STEPS = 12;
/** Answers to each prompt; each is compared with the others. */
const SAMPLES = 8;
const MAX_TOKENS = 8;
const LEARNING_RATE = 6e-3;
const SEED = 1;
const PROMPTS = [
  "The name of the ",
  "We saw a ",
  "It was the ",
  "She said: ",
  "There is a ",
  "One of the ",
  "He went to the ",
];

await runProgram(async (signal) => {
  const startsServer = !process.env.TINKER_API_KEY && !process.env.TINKER_BASE_URL;
  await using server = startsServer ? await startLocalServer({ seed: SEED }) : undefined;
  await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });

  // The fastest of tfjs-node, wasm and cpu that is installed and starts.
  const { reason } = await pickBackend();
  console.log(`tensors on ${reason}`);

  // The model that judges, which tells Pig Latin from English. With one of your own: await tf.loadLayersModel(url).
  const { train } = await loadWordPairs(BUNDLED_DATA);
  const judge = await trainWordJudge(train);

  const { supported_models } = await service.getServerCapabilities();
  const base_model = supported_models[0]?.model_name ?? "tinkex/pocket-1";
  const training = await service.createLoraTrainingClient({ base_model, rank: 16, seed: SEED }, { signal });
  const tokenizer = await training.getTokenizer();
  const prompts = PROMPTS.map((text) => tokenizer.encode(text));

  const sampleAnswers = (sampler: SamplingClient, step: number) =>
    Promise.all(
      prompts.map(async (prompt, index) => {
        const seed = SAMPLES * (PROMPTS.length * step + index);
        const sampling_params = { max_tokens: MAX_TOKENS, temperature: 1, seed };
        const { sequences } = await sampler.sample(
          { prompt, num_samples: SAMPLES, sampling_params },
          { signal },
        );
        return sequences;
      }),
    );

  const meanRewards: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const sampler = await training.saveWeightsAndGetSamplingClient({ signal });
    const groups = await sampleAnswers(sampler, step);
    const answers = groups.flat().map(({ tokens }) => tokenizer.decode(tokens, { skipSpecialTokens: true }));

    // Rewards are [prompts, samples]. The advantage of an answer is how far it is above the mean of its group.
    const { meanReward, advantages } = tf.tidy(() => {
      const rewards = judgeAnswers(judge, answers).reshape([PROMPTS.length, SAMPLES]);
      return { meanReward: rewards.mean(), advantages: rewards.sub(rewards.mean(1, true)) };
    });

    // They go into the examples as the tensors they are.
    const data = groups.flatMap((sequences, group) =>
      sequences.map((sequence, sample) =>
        policyDatum(prompts[group] ?? [], sequence, advantages, [group, sample]),
      ),
    );
    const pass = training.forwardBackward(data, "importance_sampling", { signal });
    const update = training.optimStep({ learning_rate: LEARNING_RATE }, { signal });
    await Promise.all([pass, update]);

    const [reward = Number.NaN] = await meanReward.data();
    meanRewards.push(reward);
    console.log(
      `step ${step + 1}/${STEPS}  mean reward ${reward.toFixed(3)}  e.g. ${JSON.stringify(answers[0])}`,
    );
    tf.dispose([meanReward, advantages, ...data.map(({ loss_fn_inputs }) => loss_fn_inputs.advantages)]);
  }
  judge.dispose();
  // A judge that looks at four letters is pleased by four letters: what it overlooks, the model finds.
  console.log(`mean reward: ${meanRewards[0]?.toFixed(3)} -> ${meanRewards.at(-1)?.toFixed(3)}`);
});
