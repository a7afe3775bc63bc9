// Fine-tunes a small language model to write Pig Latin, and shows how much better it got.
//
//   npm start                                                 on this machine, no key needed
//   TINKER_API_KEY=tml-… npm start -- --model Qwen/Qwen3-8B   on a hosted service
import { lossOf, ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { drawCurve } from "@tinkex/telemetry";
import { ModelInput } from "@tinkex/types";
import { colors } from "./quickstart/colors.js";
import { answerPairs, exactMatchPercent, isRight } from "./quickstart/exact-match.js";
import { parseOptions } from "./quickstart/options.js";
import type { WordPair } from "./quickstart/parse-word-pairs.js";
import { TrainingProgress } from "./quickstart/progress.js";
import { runProgram, UsageError } from "./quickstart/run-program.js";
import { shuffledBatches } from "./quickstart/shuffled-batches.js";
import { trainingDatum } from "./quickstart/training-datum.js";
import { loadWordPairs } from "./quickstart/word-pairs.js";

const RANK = 16;
const BATCH_SIZE = 25;
const LEARNING_RATE = 2e-3;
/** Held-out words whose answers are shown side by side. */
const SHOWN = 6;

await runProgram(async (signal) => {
  const options = parseOptions(process.argv.slice(2), process.env);
  const pairs = await loadWordPairs(options.dataFiles);

  // A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
  await using server = options.startsServer
    ? await startLocalServer({ port: options.port, runtime: options.runtime, dataDirectory: ".tinkex" })
    : undefined;
  await using service = new ServiceClient(server === undefined ? {} : { baseUrl: server.url });
  if (server !== undefined) {
    for (const { name, runtime, threads } of server.models) {
      console.log(`local server at ${server.url}: ${name}, ${runtime} runtime, ${threads} threads`);
    }
  }

  // A fresh LoRA adapter on the base model. Training changes the adapter, never the model itself.
  const base_model = options.model ?? (await firstModel(service));
  const training = await service.createLoraTrainingClient(
    { base_model, rank: RANK, seed: options.seed },
    { signal },
  );
  const tokenizer = await training.getTokenizer();

  // Answers of the base model to words that training will never show it.
  const base = await service.createSamplingClient({ base_model }, { signal });
  const answersBefore = await answerPairs(base, tokenizer, pairs.heldOut, signal);

  // Every step is the gradient of one batch and then one step of AdamW. Both are sent at once, and the next step is sent
  // before the last one's result is in: the service never waits for us.
  const submit = (batch: readonly WordPair[], step: number) => {
    const data = batch.map((pair) => trainingDatum(pair, tokenizer));
    const pass = training.forwardBackward(data, "cross_entropy", { signal });
    const update = training.optimStep(
      { learning_rate: LEARNING_RATE * (1 - step / options.steps) },
      { signal },
    );
    const tokens = data.reduce((sum, { model_input }) => sum + ModelInput.length(model_input), 0);
    return { pass, update, tokens };
  };
  const progress = new TrainingProgress({
    stepCount: options.steps,
    stream: process.stdout,
    now: () => performance.now(),
  });
  const losses: number[] = [];
  const finish = async ({ pass, update, tokens }: ReturnType<typeof submit>) => {
    const output = await pass;
    await update;
    const loss = (lossOf(output)?.value ?? Number.NaN) / BATCH_SIZE;
    losses.push(loss);
    progress.step(loss, tokens);
  };
  try {
    const batches = shuffledBatches(pairs.train, {
      stepCount: options.steps,
      batchSize: BATCH_SIZE,
      seed: options.seed,
    });
    let inFlight: ReturnType<typeof submit> | undefined;
    for (const [step, batch] of batches.entries()) {
      const next = submit(batch, step);
      if (inFlight !== undefined) await finish(inFlight);
      inFlight = next;
    }
    if (inFlight !== undefined) await finish(inFlight);
  } finally {
    progress.stop();
  }
  console.log(`\nloss per word, by step\n${drawCurve(losses)}\n`);

  // The fine-tuned weights answer the same questions.
  const tuned = await training.saveWeightsAndGetSamplingClient({ signal });
  const answersAfter = await answerPairs(tuned, tokenizer, pairs.heldOut, signal);
  const every = Math.ceil(pairs.heldOut.length / SHOWN);
  for (const [index, pair] of pairs.heldOut.entries()) {
    if (index % every !== 0) continue;
    const mark = isRight(pair, answersAfter[index]) ? colors.green("✓") : colors.red("✗");
    console.log(`${pair.prompt}  before:${answersBefore[index]}  after:${answersAfter[index]} ${mark}`);
  }

  const { path } = await training.saveState("pig-latin", { overwrite: true, signal });
  const [before, after] = [answersBefore, answersAfter].map((answers) =>
    exactMatchPercent(pairs.heldOut, answers),
  );
  console.log(`held-out exact match: ${before?.toFixed(1)} % -> ${after?.toFixed(1)} %`);
  console.log(`weights saved: ${path}`);
});

/** The model to use when none is named. */
async function firstModel(service: ServiceClient): Promise<string> {
  const { supported_models } = await service.getServerCapabilities();
  const name = supported_models[0]?.model_name;
  if (name === undefined)
    throw new UsageError("the service names no model it can train; name one with --model");
  return name;
}
