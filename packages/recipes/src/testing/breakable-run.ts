import type { ServiceClient } from "@tinkex/client";
import { rl, sft } from "../index.js";
import type { TrainingResult } from "../run/training-result.js";

/** Not from local-service.ts, whose imports are for tests alone. */
const MODEL = "tinkex/pocket-1";

const WORDS = "ant bee cat dog elk fox gnu hen owl pig ram yak".split(" ");

/** Run that is the same whichever process does it. */
export interface BreakableRun {
  readonly service: ServiceClient;
  readonly recipe: "sft" | "rl";
  readonly steps: number;
  readonly saveEvery: number;
  readonly runDirectory: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Starts a run, or goes on with it: one call, whatever has happened before. */
export async function breakableRun(order: BreakableRun): Promise<TrainingResult> {
  const { service, recipe, steps, saveEvery, runDirectory, abortSignal: signal } = order;
  const common = { service, model: MODEL, rank: 4, seed: 1, learningRate: 3e-3 } as const;
  const run = { ...common, runDirectory, saveEvery, signal };
  if (recipe === "sft") {
    const train = WORDS.map((word) => ({ prompt: `${word}:`, completion: ` ${word}${word}\n` }));
    return sft({
      ...run,
      train,
      test: train.slice(0, 2),
      evaluateEvery: 3,
      batchSize: 4,
      epochs: Math.ceil(steps / 3),
      maxSteps: steps,
    });
  }
  return rl({
    ...run,
    // A faster one comes to always give the same answer, and has nothing to learn any more.
    learningRate: 3e-4,
    steps,
    problems: ["The name of the ", "We saw a ", "It was the ", "There is a "],
    prompt: (problem) => problem,
    // Differs from answer to answer, so that every step has something to learn.
    reward: (_, { tokens }) => (tokens.reduce((sum, token) => 3 * sum + token, 0) % 97) / 97,
    groupSize: 4,
    // One request at a time: sums of a batch that others share differ in the last bit, and sooner or later in a sample.
    groupsPerBatch: 1,
    maxTokens: 4,
  });
}
