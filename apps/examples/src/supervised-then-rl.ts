// Supervised fine-tuning, then reinforcement learning: a few steps on examples teach what the task is, and a reward for words that are right to the
// letter teaches the rest.
//
//   node apps/examples/dist/supervised-then-rl.js --seed 1
import { evaluate, type Reply, rl, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(12);
const { service, model, seed, steps, figures } = example;

const END = "\n";
const words = wordsOf("pig-latin-train");
const prompt = (word: string) => `Pig Latin: ${word} ->`;
const isRight = (word: string, { text }: Reply) => (text.trim() === pigLatin(word) ? 1 : 0);

/** Share of words that the model has never seen and answers right to the letter. */
async function heldOut(sampler: string): Promise<number> {
  const { metrics } = await evaluate({
    ...{ service, sampler, prompt, score: isRight, stop: [END], maxTokens: 24 },
    // Draws the likeliest token wherever the model is not torn.
    ...{ problems: wordsOf("pig-latin-held-out"), temperature: 0.01 },
  });
  return metrics["test/env/all/reward/total"] ?? 0;
}

const taught = await sft({
  ...{ service, model, seed, rank: 16, batchSize: 25, epochs: 4, maxSteps: 4 * steps, learningRate: 2e-3 },
  train: words.map((word) => ({ prompt: prompt(word), completion: ` ${pigLatin(word)}${END}` })),
});
const exactBefore = await heldOut(taught.checkpoint.samplerPath);
console.log(`held-out exact match after the examples: ${exactBefore}`);

const kl = await samplerAgainstTrainer(service, taught.checkpoint.statePath, words.slice(0, 4).map(prompt));
figures.agreement(kl);

// The path of the supervised checkpoint: its weights are loaded, its optimizer is not.
const run = rl({
  ...{ service, model: taught.checkpoint.statePath, seed, steps, prompt, reward: isRight },
  ...{ problems: words, groupSize: 8, groupsPerBatch: 16, stop: [END], maxTokens: 16 },
  ...{ learningRate: 2e-4, schedule: "linear" },
});
const rewards: number[] = [];
for await (const event of run) {
  if (event.type !== "step") continue;
  rewards.push(event.metrics["env/all/reward/total"] ?? 0);
  console.log(`step ${event.step + 1}/${steps}  exact ${rewards.at(-1)?.toFixed(3)}`);
}
const [first, last] = firstAndLast(rewards);
console.log(`mean reward: ${first.toFixed(4)} -> ${last.toFixed(4)}`);
figures.atLeast("held-out exact match", await heldOut((await run).checkpoint.samplerPath), 0.95);
