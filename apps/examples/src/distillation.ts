// On-policy distillation: a student answers in its own words, and a teacher says at every token what it would have written there. Here the teacher is
// the same model after supervised fine-tuning.
//
//   node apps/examples/dist/distillation.js --seed 1
import { distill, evaluate, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(20);
const { service, model, seed, steps, figures } = example;

const END = "\n";
const words = wordsOf("pig-latin-train");
const prompt = (word: string) => `Pig Latin: ${word} ->`;

const taught = await sft({
  ...{ service, model, seed, rank: 16, batchSize: 25, epochs: 2, maxSteps: steps, learningRate: 2e-3 },
  train: words.map((word) => ({ prompt: prompt(word), completion: ` ${pigLatin(word)}${END}` })),
});
const teacher = taught.checkpoint.samplerPath;

const kl = await samplerAgainstTrainer(service, model, words.slice(0, 4).map(prompt));
figures.agreement(kl);

// The student starts from the base model. It never sees an answer of the teacher, only what the teacher thinks of its own: the 8 tokens that it
// finds likeliest at each place. Without `topK` it hears about the sampled tokens alone, and needs twice as many steps.
const run = distill({
  ...{ service, model, teacher, seed, steps, problems: words, prompt },
  ...{ groupSize: 4, groupsPerBatch: 16, stop: [END], maxTokens: 16, rank: 16, learningRate: 3e-3, topK: 8 },
});
const distances: number[] = [];
for await (const event of run) {
  if (event.type !== "step") continue;
  distances.push(event.metrics.teacher_kl ?? Number.NaN);
  console.log(`step ${event.step + 1}/${steps}  distance to the teacher ${distances.at(-1)?.toFixed(3)}`);
}

const { metrics } = await evaluate({
  service,
  samplers: { teacher, student: (await run).checkpoint.samplerPath },
  ...{ stop: [END], temperature: 0.01 },
  maxTokens: 24,
  problems: wordsOf("pig-latin-held-out"),
  prompt,
  score: (word, { text }) => (text.trim() === pigLatin(word) ? 1 : 0),
});
console.log(`held-out exact match of the teacher: ${metrics["teacher/test/env/all/reward/total"]}`);
const [first, last] = firstAndLast(distances);
console.log(`distance to the teacher: ${first.toFixed(4)} -> ${last.toFixed(4)}`);
figures.below("share of the distance that is left", last / first, 0.25);
figures.atLeast("held-out exact match", metrics["student/test/env/all/reward/total"] ?? 0, 0.5);
