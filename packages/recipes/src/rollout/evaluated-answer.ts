import { passAtK } from "../arithmetic/pass-at-k.js";
import { mean } from "../arithmetic/sums.js";
import { rolloutMetrics } from "../metrics/rollout-metrics.js";
import type { Metrics } from "../run/recipe-event.js";
import { endOf, meanMetrics } from "./mean-metrics.js";
import { turnCounts } from "./rollout-records.js";
import type { Trajectory } from "./rollout-rules.js";

/** An answer with its score. */
export interface EvaluatedAnswer {
  /** Text of the last reply. */
  readonly text: string;
  readonly score: number;
  /** Numbers that came with the score. */
  readonly metrics: Metrics;
  /** The limit that ended the episode, or the service's reason: `stop`, `length`. Undefined where nothing was answered. */
  readonly end: string | undefined;
  /** Tokens that were shown and answered in each turn. */
  readonly turns: readonly { readonly observationTokens: number; readonly actionTokens: number }[];
}

/** Text, score and counts of a trajectory, without its tokens: reports of many thousands are kept in memory. */
export function evaluatedAnswer(trajectory: Trajectory): EvaluatedAnswer {
  const { reward, metrics, replies, transitions } = trajectory;
  return {
    text: replies.at(-1)?.text ?? "",
    score: reward,
    metrics,
    end: endOf(trajectory),
    turns: turnCounts(transitions),
  };
}

/**
 * Metrics of the answers to many problems, by the names of the Python cookbook.
 *
 * @param problems - answers to each; none where all of them failed
 * @param passAt - numbers of answers of which one is to be correct, with a score above 0
 */
export function evaluationMetrics(
  problems: readonly (readonly EvaluatedAnswer[])[],
  passAt: readonly number[],
): Metrics {
  const answered = problems.filter((answers) => answers.length > 0);
  const groups = answered.map((answers) => ({
    trajectories: answers.map(({ score, turns }) => ({ reward: score, turns })),
  }));
  const passes = passAt.map((k) => {
    const enough = answered.filter((answers) => answers.length >= k);
    const correct = (answers: readonly EvaluatedAnswer[]) => answers.filter(({ score }) => score > 0).length;
    return [
      `pass@${k}`,
      mean(enough.map((answers) => passAtK(answers.length, correct(answers), k))),
    ] as const;
  });
  return {
    ...rolloutMetrics(groups),
    ...meanMetrics(answered.flat()),
    ...Object.fromEntries(passes),
    "problems/failed": problems.length - answered.length,
  };
}
