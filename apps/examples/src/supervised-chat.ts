// Supervised fine-tuning on chats, with an evaluation on held-out words every few steps. The run has a folder: Ctrl-C and the same command go
// on where it ended, which the program shows by stopping itself halfway.
//
//   node apps/examples/dist/supervised-chat.js --seed 1
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EvaluationContext, sft } from "@tinkex/recipes";
import { getRenderer, type Message, type SamplingClient, textOf } from "tinkex";
import { openExample } from "./recipes/example-service.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

await using example = await openExample(40);
const { service, model, seed, steps, figures } = example;
// The layout of Qwen3, which the built-in model has seen, too.
const RENDERER = "qwen3_instruct";
const folder = await mkdtemp(join(tmpdir(), "tinkex-supervised-chat-"));

const question = (word: string): Message => ({ role: "user", content: `Pig Latin: ${word}` });
const chats = wordsOf("pig-latin-train").map((word) => ({
  messages: [question(word), { role: "assistant", content: pigLatin(word) }],
}));
const heldOut = wordsOf("pig-latin-held-out").slice(0, 40);

/** Share of held-out words that are answered right to the letter. */
async function exactMatch(sampler: SamplingClient): Promise<number> {
  const renderer = getRenderer(RENDERER, await sampler.getTokenizer());
  const answers = await Promise.all(
    heldOut.map(async (word) => {
      const prompt = renderer.buildGenerationPrompt([question(word)]);
      const sampling_params = { max_tokens: 24, temperature: 0, stop: renderer.stopSequences };
      const { sequences } = await sampler.sample({ prompt, sampling_params });
      const { message } = renderer.parseResponse(sequences[0]?.tokens ?? []);
      return textOf(message.content).trim() === pigLatin(word);
    }),
  );
  return answers.filter(Boolean).length / heldOut.length;
}

const evaluator = async ({ sampler }: EvaluationContext) => ({
  "test/exact_match": await exactMatch(await sampler()),
});

/** One command: begins the run, or goes on with it. */
const train = (signal?: AbortSignal, onMetrics?: (step: number) => void) =>
  sft({
    ...{ service, model, seed, signal, onMetrics, runDirectory: join(folder, "run") },
    ...{ train: chats, renderer: RENDERER, batchSize: 25, epochs: 10, maxSteps: steps, rank: 16 },
    ...{ learningRate: 2e-3, saveEvery: 5, evaluateEvery: 10, evaluators: [evaluator] },
    // A run that is to stop behind a step has submitted none behind it.
    submitAhead: signal === undefined ? 1 : 0,
  });

try {
  const kl = await samplerAgainstTrainer(service, model, heldOut.slice(0, 4));
  figures.agreement(kl);

  const stop = new AbortController();
  const half = Math.floor((steps - 1) / 2);
  const stopped = train(stop.signal, (step) => {
    if (step === half) stop.abort(new Error(`stopped behind step ${half + 1}`));
  });
  await stopped.then(undefined, () => console.log(String(stop.signal.reason?.message)));

  const run = train();
  for await (const event of run) {
    if (event.type === "start") console.log(`goes on at step ${event.step + 1} of ${event.totalSteps}`);
    if (event.type === "eval")
      console.log(`before step ${event.step + 1}: held-out exact match ${event.metrics["test/exact_match"]}`);
    if (event.type === "checkpoint") console.log(`saved ${event.name}`);
  }
  const { checkpoint, sampler } = await run;
  console.log(`weights saved: ${checkpoint.samplerPath}`);
  const base = await service.createSamplingClient({ base_model: model });
  const [before, after] = [await exactMatch(base), await exactMatch(sampler)];
  console.log(`held-out exact match: ${before} -> ${after}`);
  figures.atLeast("held-out exact match at the end", after, 0.8);
} finally {
  await rm(folder, { recursive: true, force: true });
}
