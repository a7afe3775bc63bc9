import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceClient, TrainingClient } from "@tinkex/client";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import { SERVER_CACHE } from "./server-cache.js";
import { MODEL_NAME, script } from "./server-kinds.js";

/** One sequence to learn by heart. */
interface Overfit {
  readonly text: string;
  readonly prompt_length: number;
  readonly rank: number;
  readonly seed: number;
  readonly learning_rate: number;
  readonly steps: number;
}

export const OVERFIT_FILE = script("overfit.json");
export const OVERFIT: Overfit = JSON.parse(readFileSync(OVERFIT_FILE, "utf8"));

/** A datum of the sequence, with its tokens and the weight of each. */
export interface Sequence {
  readonly tokens: readonly number[];
  readonly prompt: readonly number[];
  readonly answer: readonly number[];
  readonly weights: readonly number[];
  readonly datum: {
    readonly model_input: readonly number[];
    readonly loss_fn_inputs: {
      readonly target_tokens: readonly number[];
      readonly weights: readonly number[];
    };
  };
}

/** Reads the sequence as the model's tokenizer does. */
export async function readSequence(): Promise<Sequence> {
  const tokenizer = await loadTokenizer(join(SERVER_CACHE, MODEL_NAME));
  const tokens = Array.from(tokenizer.encode(OVERFIT.text));
  const weights = tokens.slice(1).map((_, position) => (position + 1 >= OVERFIT.prompt_length ? 1 : 0));
  return {
    tokens,
    prompt: tokens.slice(0, OVERFIT.prompt_length),
    answer: tokens.slice(OVERFIT.prompt_length),
    weights,
    datum: { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1), weights } },
  };
}

/** Makes the model that is to learn the sequence. */
export function createModel(service: ServiceClient): PromiseLike<TrainingClient> {
  const { rank, seed } = OVERFIT;
  return service.createLoraTrainingClient({ base_model: MODEL_NAME, rank, seed });
}

/**
 * Takes steps on the sequence, all of them submitted before the first result is awaited.
 *
 * @returns the loss before each, a sum over the tokens of the answer
 */
export async function trainPipelined(
  training: TrainingClient,
  sequence: Sequence,
  steps: number,
): Promise<number[]> {
  const { learning_rate } = OVERFIT;
  const pairs = Array.from(
    { length: steps },
    () =>
      [
        training.forwardBackward([sequence.datum], "cross_entropy"),
        training.optimStep({ learning_rate }),
      ] as const,
  );
  const losses: number[] = [];
  for (const [pass, step] of pairs) {
    losses.push(lossOf(logprobsOf(await pass), sequence.weights));
    await step;
  }
  return losses;
}

/** Gives the log-probabilities of the first datum of a pass. */
export function logprobsOf(output: Awaited<ReturnType<TrainingClient["forward"]>>): Float32Array {
  const logprobs = output.loss_fn_outputs[0]?.logprobs?.data;
  if (logprobs === undefined) throw new Error("the pass gave no log-probabilities");
  return logprobs;
}

/** Sums losses over the tokens, each times its weight: what servers call a loss differs. */
export function lossOf(logprobs: ArrayLike<number>, weights: readonly number[]): number {
  return -weights.reduce((sum, weight, position) => sum + weight * (logprobs[position] ?? Number.NaN), 0);
}

/** Gives the largest difference between two series; NaN where their lengths differ. */
export function gapOf(left: ArrayLike<number>, right: ArrayLike<number>): number {
  if (left.length !== right.length) return Number.NaN;
  return Math.max(...Array.from(left, (value, index) => Math.abs(value - (right[index] ?? Number.NaN))));
}
