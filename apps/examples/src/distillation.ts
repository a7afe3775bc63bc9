// On-policy distillation: a student answers in its own words, and a teacher says of every token how likely it would have been to write it. Here the
// teacher is the same model after supervised fine-tuning.
//
//   node apps/examples/dist/distillation.js --seed 1
import { distill, evaluate, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { firstAndLast } from "./recipes/figures.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";

await using example = await openExample(40);
const { service, model, seed, steps, figures } = example;

const END = "\n";
const words = wordsOf("pig-latin-train");
const prompt = (word: string) => `Pig Latin: ${word} ->`;

const taught = await sft({
  ...{ service, model, seed, rank: 16, batchSize: 25, epochs: 2, maxSteps: steps, learningRate: 2e-3 },
  train: words.map((word) => ({ prompt: prompt(word), completion: ` ${pigLatin(word)}${END}` })),
});
const teacher = taught.checkpoint.samplerPath;

// The student starts from the base model. It never sees an answer of the teacher, only what the teacher thinks of its own.
const run = distill({
  ...{ service, model, teacher, seed, steps, problems: words, prompt },
  ...{ groupSize: 4, groupsPerBatch: 16, stop: [END], maxTokens: 16, rank: 16, learningRate: 3e-3 },
});
const distances: number[] = [];
let firstKl: number | undefined;
for await (const event of run) {
  if (event.type !== "step") continue;
  distances.push(event.metrics.teacher_kl ?? Number.NaN);
  firstKl ??= event.metrics["optim/kl_sample_train_v1"];
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
figures.agreement(firstKl);
figures.below("share of the distance that is left", last / first, 0.25);
figures.atLeast("held-out exact match", metrics["student/test/env/all/reward/total"] ?? 0, 0.5);
