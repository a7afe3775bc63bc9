// Evaluation of checkpoints side by side: the base model, a checkpoint from the middle of a run and its last one get the same questions, and a table
// says which is better at them.
//
//   node apps/examples/dist/compare-checkpoints.js --seed 1
import { evaluate, sft } from "@tinkex/recipes";
import { openExample } from "./recipes/example-service.js";
import { pigLatin, similarity, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(30);
const { service, model, seed, steps, figures } = example;

const prompt = (word: string) => `Pig Latin: ${word} ->`;
const asExample = (word: string) => ({ prompt: prompt(word), completion: ` ${pigLatin(word)}\n` });
const words = wordsOf("pig-latin-train");
const heldOut = wordsOf("pig-latin-held-out").slice(0, 50);

const kl = await samplerAgainstTrainer(service, model, words.slice(0, 4).map(prompt));
figures.agreement(kl);

// Checkpoints every few steps; each event names one, and where its weights are.
const run = sft({
  ...{ service, model, seed, train: words.map(asExample), rank: 16, batchSize: 25, epochs: 2 },
  ...{ maxSteps: steps, learningRate: 2e-3, saveEvery: Math.max(1, Math.floor(steps / 3)) },
});
const checkpoints: string[] = [];
for await (const event of run) if (event.type === "checkpoint") checkpoints.push(event.samplerPath);
const [early = model, ...later] = checkpoints;
const last = later.at(-1) ?? early;

const { metrics, problems } = await evaluate({
  service,
  samplers: { base: model, early, last },
  ...{ stop: ["\n"], temperature: 0.5, samples: 2, passAt: [1, 2] },
  maxTokens: 24,
  problems: heldOut,
  prompt,
  score: (word, { text }) => {
    const answer = text.trim();
    const isRight = answer === pigLatin(word);
    return { reward: isRight ? 1 : 0, metrics: { closeness: similarity(answer, pigLatin(word)) } };
  },
  // The loss on the right answers, which needs no sampling.
  test: heldOut.map(asExample),
});

const names = ["base", "early", "last"];
const columns = { "pass@1": "pass@1", "pass@2": "pass@2", closeness: "env/all/closeness", loss: "nll" };
const row = (name: string, cells: readonly string[]) =>
  [name.padEnd(8), ...cells.map((cell) => cell.padStart(10))].join("");
console.log(row("", Object.keys(columns)));
for (const name of names) {
  const numbers = Object.values(columns).map((metric) => metrics[`${name}/test/${metric}`] ?? Number.NaN);
  const cells = numbers.map((number) => number.toFixed(3));
  console.log(row(name, cells));
}
for (const name of names) {
  const first = problems.find(({ sampler }) => sampler === name);
  console.log(`${name}: ${first?.problem} -> ${first?.answers[0]?.text.trim()}`);
}
const exact = (name: string) => metrics[`${name}/test/pass@1`] ?? Number.NaN;
figures.atLeast("gain of the last checkpoint over the base model", exact("last") - exact("base"), 0.7);
figures.atLeast("gain of the last checkpoint over the early one", exact("last") - exact("early"), 0.1);
