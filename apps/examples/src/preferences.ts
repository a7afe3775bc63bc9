// Direct preference optimisation: learns to prefer right Pig Latin over wrong forms. Once from the base model, and once from a supervised
// checkpoint, which is given by its path, so that its weights are loaded and its optimizer is not.
//
//   node apps/examples/dist/preferences.js --seed 1
import { dpo, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(20);
const { service, model, seed, steps, figures } = example;

const words = wordsOf("pig-latin-train");
const pairs = words.map((word) => ({
  prompt: `Pig Latin: ${word} ->`,
  chosen: ` ${pigLatin(word)}\n`,
  rejected: ` ${word}ay\n`,
}));

/** Learns the preferences, and says how the loss and the share of pairs in the right order went. */
async function prefer(name: string, from: string): Promise<void> {
  const prompts = pairs.slice(0, 4).map(({ prompt }) => prompt);
  const kl = await samplerAgainstTrainer(service, from, prompts);
  figures.agreement(kl, name);
  const run = dpo({
    ...{ service, model: from, seed, pairs, rank: 16 },
    ...{ batchSize: 16, maxSteps: steps, learningRate: 1e-3, schedule: "constant" },
  });
  const losses: number[] = [];
  const accuracies: number[] = [];
  for await (const event of run) {
    if (event.type !== "step") continue;
    losses.push(event.metrics.dpo_loss ?? 0);
    accuracies.push(event.metrics.accuracy ?? 0);
  }
  const [[firstLoss, lastLoss], [first, last]] = [firstAndLast(losses), firstAndLast(accuracies)];
  console.log(`${name}: loss: ${firstLoss.toFixed(4)} -> ${lastLoss.toFixed(4)}`);
  console.log(`${name}: accuracy: ${first.toFixed(4)} -> ${last.toFixed(4)}`);
  // The reference is scored by a sampler and the policy by the trainer: where they agree, the first loss is ln 2.
  figures.below(`${name}: first loss from ln 2`, Math.abs((losses[0] ?? Number.NaN) - Math.LN2), 1e-4);
  figures.below(`${name}: loss at the end`, lastLoss, 0.2);
  figures.atLeast(`${name}: accuracy at the end`, last, 0.95);
}

await prefer("base", model);

const train = words.map((word) => ({ prompt: `Pig Latin: ${word} ->`, completion: ` ${pigLatin(word)}\n` }));
const taught = await sft({
  ...{ service, model, seed, train, rank: 16 },
  ...{ batchSize: 25, maxSteps: Math.min(steps, 15), learningRate: 2e-3 },
});
await prefer("supervised", taught.checkpoint.statePath);
