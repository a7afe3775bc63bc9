// Reinforcement learning in two turns: a word that is wrong at first may be tried once more, with a hint, and is then worth less. The model learns to
// be right the first time.
//
//   node apps/examples/dist/rl-two-turns.js --seed 1
import { type Episode, rl, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, similarity, wordsOf } from "./recipes/pig-latin.js";

await using example = await openExample(24);
const { service, model, seed, steps, figures } = example;

const END = "\n";
const words = wordsOf("pig-latin-train");

/** One conversation about one word. What is yielded is shown to the model, its reply comes back, and the reward is returned at the end. */
async function* twoTries(word: string): Episode {
  const right = pigLatin(word);
  const first = yield `Pig Latin: ${word} ->`;
  if (first.text.trim() === right) return 1;
  const second = yield `No, it begins with ${right.slice(0, 2)}. Pig Latin: ${word} ->`;
  if (second.text.trim() === right) return 0.5;
  return 0.3 * similarity(second.text.trim(), right);
}

// A few steps on examples, so that some words are right by chance: where none ever is, there is nothing to compare.
const taught = await sft({
  ...{ service, model, seed, rank: 16, batchSize: 25, maxSteps: Math.min(steps, 8), learningRate: 2e-3 },
  train: words.map((word) => ({ prompt: `Pig Latin: ${word} ->`, completion: ` ${pigLatin(word)}${END}` })),
});

const run = rl({
  ...{ service, model: taught.checkpoint.statePath, seed, steps, problems: words, episode: twoTries },
  ...{ groupSize: 8, groupsPerBatch: 10, stop: [END], maxTokens: 16 },
  ...{ learningRate: 6e-4, schedule: "linear" },
});
const rewards: number[] = [];
const turns: number[] = [];
let firstKl: number | undefined;
for await (const event of run) {
  if (event.type !== "step") continue;
  rewards.push(event.metrics["env/all/reward/total"] ?? 0);
  turns.push(event.metrics["env/all/turns_per_episode"] ?? 0);
  firstKl ??= event.metrics["optim/kl_sample_train_v1"];
  console.log(
    `step ${event.step + 1}/${steps}  mean reward ${rewards.at(-1)?.toFixed(3)}  turns ${turns.at(-1)?.toFixed(2)}`,
  );
}
const [firstReward, lastReward] = firstAndLast(rewards);
const [firstTurns, lastTurns] = firstAndLast(turns);
console.log(`mean reward: ${firstReward.toFixed(4)} -> ${lastReward.toFixed(4)}`);
console.log(`turns an episode: ${firstTurns.toFixed(4)} -> ${lastTurns.toFixed(4)}`);
figures.agreement(firstKl);
figures.atLeast("gain of reward", lastReward - firstReward, 0.3);
figures.below("turns an episode at the end", lastTurns, 1.6);
