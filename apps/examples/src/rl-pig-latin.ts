// Reinforcement learning without examples: the model is shown words, never an answer, and learns Pig Latin by how close its tries come.
//
//   node apps/examples/dist/rl-pig-latin.js --seed 1          on this machine, no key needed
//   TINKER_API_KEY=tml-… node apps/examples/dist/rl-pig-latin.js   on a hosted service
import { rl } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, similarity, wordsOf } from "./recipes/pig-latin.js";

await using example = await openExample(30);
const { service, model, seed, steps, figures } = example;

const run = rl({
  ...{ service, model, seed, steps },
  problems: wordsOf("pig-latin-train"),
  prompt: (word) => `Pig Latin: ${word} ->`,
  // 1 for the right word, less with every letter that is wrong, missing or too many.
  reward: (word, { text }) => similarity(text.trim(), pigLatin(word)),
  stop: ["<|endoftext|>"],
  maxTokens: 16,
  groupSize: 8,
  groupsPerBatch: 16,
  rank: 16,
  learningRate: 3e-3,
});

const rewards: number[] = [];
let firstKl: number | undefined;
for await (const event of run) {
  if (event.type !== "step") continue;
  const reward = event.metrics["env/all/reward/total"] ?? 0;
  // Absent where all answers of every group were worth the same: such a step teaches nothing, and is not sent.
  firstKl ??= event.metrics["optim/kl_sample_train_v1"];
  rewards.push(reward);
  console.log(`step ${event.step + 1}/${steps}  mean reward ${reward.toFixed(3)}`);
}

const { sampler } = await run;
const tokenizer = await sampler.getTokenizer();
for (const word of wordsOf("pig-latin-held-out").slice(0, 4)) {
  const prompt = tokenizer.encode(`Pig Latin: ${word} ->`);
  const sampling_params = { max_tokens: 16, temperature: 0, stop: ["<|endoftext|>"] };
  const { sequences } = await sampler.sample({ prompt, sampling_params });
  console.log(`${word} ->${tokenizer.decode(sequences[0]?.tokens ?? []).trimEnd()} (${pigLatin(word)})`);
}
const [first, last] = firstAndLast(rewards);
console.log(`mean reward: ${first.toFixed(4)} -> ${last.toFixed(4)}`);
figures.agreement(firstKl);
figures.atLeast("gain of reward", last - first, 0.25);
