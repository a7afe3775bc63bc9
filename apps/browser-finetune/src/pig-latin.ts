import type { LoraRun, OpenedModel } from "@tinkex/local/engine";
import { answerPairs, exactMatchPercent } from "../../examples/src/quickstart/exact-match.js";
import { parseWordPairs, type WordPair } from "../../examples/src/quickstart/parse-word-pairs.js";
import { shuffledBatches } from "../../examples/src/quickstart/shuffled-batches.js";
import { trainingDatum } from "../../examples/src/quickstart/training-datum.js";
import type { TrainingSettings } from "./messages.js";

const RANK = 16;
const BATCH_SIZE = 25;
const LEARNING_RATE = 2e-3;

/** Pairs to train on, and pairs that the model never sees in training. */
export interface Words {
  readonly train: readonly WordPair[];
  readonly heldOut: readonly WordPair[];
}

/** Fetches the words of the quickstart from beside the page. */
export async function fetchWords(): Promise<Words> {
  const [train, heldOut] = await Promise.all(
    ["data/pig-latin-train.jsonl", "data/pig-latin-held-out.jsonl"].map(async (file) => {
      const response = await fetch(file);
      if (!response.ok) throw new Error(`${file} must be there, got status ${response.status}`);
      return parseWordPairs(await response.text(), file);
    }),
  );
  return { train: train ?? [], heldOut: heldOut ?? [] };
}

/** Share of the held-out words that the model, or a run on it, writes right to the letter, in percent. */
export async function heldOutPercent(
  sampler: Pick<LoraRun, "sample">,
  { tokenizer }: OpenedModel,
  heldOut: readonly WordPair[],
): Promise<number> {
  return exactMatchPercent(heldOut, await answerPairs(sampler, tokenizer, heldOut));
}

/** Asks for the Pig Latin of a word. */
export async function askWord(
  sampler: Pick<LoraRun, "sample">,
  { tokenizer }: OpenedModel,
  word: string,
): Promise<string> {
  const [answer = ""] = await answerPairs(sampler, tokenizer, [
    { prompt: `Pig Latin: ${word} ->`, completion: "" },
  ]);
  return answer.trim();
}

/** Trains a new adapter; the learning rate falls to 0. */
export async function train(
  model: OpenedModel,
  words: Words,
  { steps, seed }: TrainingSettings,
  onStep: (step: number, loss: number) => void,
): Promise<LoraRun> {
  const run = await model.createLora({ rank: RANK, seed });
  const batches = shuffledBatches(words.train, { stepCount: steps, batchSize: BATCH_SIZE, seed });
  for (const [step, batch] of batches.entries()) {
    const data = batch.map((pair) => trainingDatum(pair, model.tokenizer));
    const pass = run.forwardBackward(data, "cross_entropy");
    await run.optimStep({ learning_rate: LEARNING_RATE * (1 - step / steps) });
    const { metrics } = await pass;
    onStep(step + 1, (metrics["loss:sum"] ?? Number.NaN) / BATCH_SIZE);
  }
  return run;
}
