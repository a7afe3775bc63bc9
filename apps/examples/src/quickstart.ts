// Fine-tunes a small language model to write Pig Latin, and shows how much better it got.
//
//   npm start                                  on this machine, no key needed
//   TINKER_API_KEY=tml-… npm start -- --model Qwen/Qwen3-8B   on a hosted service
import { ServiceClient, type ServiceClientOptions } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { colors } from "./quickstart/colors.js";
import { answerPairs, exactMatchPercent, type PairAnswer } from "./quickstart/exact-match.js";
import { lossCurve } from "./quickstart/loss-curve.js";
import { parseOptions, type QuickstartOptions } from "./quickstart/options.js";
import { TrainingProgress } from "./quickstart/progress.js";
import { runProgram } from "./quickstart/run-program.js";
import { shuffledBatches } from "./quickstart/shuffled-batches.js";
import { pairToDatum } from "./quickstart/training-datum.js";
import { loadWordPairs } from "./quickstart/word-pairs.js";

const RANK = 32;
const STEPS = 100;
const BATCH_SIZE = 32;
const LEARNING_RATE = 3e-3;

await runProgram(async (signal) => {
  const options = parseOptions(process.argv.slice(2), process.env);
  const { train, heldOut } = await loadWordPairs(options.dataFiles);

  // A service to talk to: the one that the environment names, or a server of our own on a free loopback port.
  await using server = options.startsServer ? await startServer(options) : undefined;
  const connection: ServiceClientOptions = server === undefined ? {} : { baseUrl: server.url };
  await using service = new ServiceClient(connection);

  // A fresh LoRA adapter on the base model. Nothing of the base model itself is changed by training.
  const base_model = options.model ?? (await firstModel(service));
  const training = await service.createLoraTrainingClient(
    { base_model, rank: RANK, seed: options.seed },
    { signal },
  );
  const tokenizer = await training.getTokenizer();

  // What the base model makes of words it will not be trained on.
  const baseSampler = await service.createSamplingClient({ base_model }, { signal });
  const before = await answerPairs(baseSampler, tokenizer, heldOut, signal);

  // Each step: the gradient of one batch, then one step of AdamW. Both are sent at once and the next batch is sent before
  // the last result is in, so the service never waits for us.
  const batches = shuffledBatches(train, { stepCount: STEPS, batchSize: BATCH_SIZE, seed: options.seed });
  console.log(`training ${base_model} on ${train.length} pairs`);
  const progress = new TrainingProgress({
    stepCount: STEPS,
    stream: process.stdout,
    now: () => performance.now(),
  });
  const losses: number[] = [];
  const steps = batches.map((batch, step) => {
    const data = batch.map((pair) => pairToDatum(pair, tokenizer));
    const pass = training.forwardBackward(data, "cross_entropy", undefined, { signal });
    const update = training.optimStep({ learning_rate: LEARNING_RATE * (1 - step / STEPS) }, { signal });
    return { pass, update, data };
  });
  for (const { pass, update, data } of steps) {
    const { metrics } = await pass;
    await update;
    const tokens = data.reduce((sum, datum) => sum + ModelInput.length(datum.model_input), 0);
    losses.push((metrics["loss:sum"] ?? Number.NaN) / BATCH_SIZE);
    progress.step(losses.at(-1) ?? Number.NaN, tokens);
  }
  progress.stop();
  console.log(`\nloss by step\n${lossCurve(losses)}\n`);
});
