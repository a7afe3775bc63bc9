import type { Tokenizer } from "@tinkex/base";
import type { RolloutSummary, RolloutTokens, Run } from "@tinkex/runs";
import type { Datum } from "@tinkex/types";
import type { PolicyDatum, Transition } from "../datum/trajectory-datums.js";
import type { GroupCounts } from "../metrics/rollout-metrics.js";
import type { GroupData } from "./group-examples.js";
import type { SampledGroups } from "./rollout-pipeline.js";
import type { Trajectory } from "./rollout-rules.js";

/** Groups of a step whose tokens are written, where no number is given. */
const LOGGED_GROUPS = 4;

/** Writes what was rolled out into the folder of a run, and does nothing where there is none. */
export function rolloutRecorder(run: Run | undefined, tokenizer: Tokenizer, loggedGroups = LOGGED_GROUPS) {
  return async (step: number, sampled: SampledGroups, data: readonly GroupData[]): Promise<void> => {
    if (run === undefined) return;
    await run.writeRollouts(step, rolloutSummaries(step, sampled));
    const logged = data.slice(0, loggedGroups);
    await run.writeRolloutTokens(
      step,
      logged.flatMap((group, index) => rolloutTokens(index, group, tokenizer)),
    );
  };
}

/** Summaries of the trajectories of a step, as the Python cookbook writes them. */
function rolloutSummaries(step: number, { groups, samplerStep }: SampledGroups): RolloutSummary[] {
  return groups.flatMap((group, groupIndex) =>
    group.map(({ transitions, reward, metrics, replies }, index) => ({
      schema_version: 1 as const,
      split: "train",
      iteration: step,
      group_idx: groupIndex,
      traj_idx: index,
      tags: [],
      sampling_client_step: samplerStep,
      total_reward: reward,
      final_reward: 0,
      trajectory_metrics: metrics,
      steps: transitions.map(({ prompt, tokens }, turn) => ({
        step_idx: turn,
        ob_len: promptLength(prompt),
        ac_len: tokens.length,
        reward: turn === transitions.length - 1 ? reward : 0,
        episode_done: turn === transitions.length - 1,
        metrics: {},
        logs: { reply: replies[turn]?.text ?? "", stop_reason: replies[turn]?.stopReason ?? "" },
      })),
      final_ob_len: 0,
    })),
  );
}

/** Tokens of the trajectories of a group with their text, for viewers without a tokenizer. */
function rolloutTokens(
  groupIndex: number,
  group: readonly (readonly PolicyDatum[])[],
  tokenizer: Tokenizer,
): RolloutTokens[] {
  return group.flatMap((data, index) =>
    data.map(({ datum, logprobs, advantages, mask }) => {
      const tokens = targetsOf(datum);
      return {
        group_idx: groupIndex,
        traj_idx: index,
        pieces: piecesOf(tokens, tokenizer),
        tokens,
        logprobs: Array.from(logprobs),
        advantages: Array.from(advantages),
        mask: Array.from(mask),
      };
    }),
  );
}

/** Text of each token. A letter whose bytes are several tokens stands at the last of them, and the others have none. */
export function piecesOf(tokens: readonly number[], tokenizer: Tokenizer): string[] {
  let pending: number[] = [];
  return tokens.map((token) => {
    pending.push(token);
    const text = tokenizer.decode(pending);
    // A cut letter decodes to U+FFFD; one of more than four bytes is none.
    if (text.endsWith("\uFFFD") && pending.length < 4) return "";
    pending = [];
    return text;
  });
}

function targetsOf({ loss_fn_inputs }: Datum): number[] {
  return Array.from(loss_fn_inputs.target_tokens?.data ?? [], Number);
}

/** A group, counted. */
export function trajectoryCounts(group: readonly Trajectory[]): GroupCounts {
  return {
    trajectories: group.map(({ reward, transitions }) => ({ reward, turns: turnCounts(transitions) })),
  };
}

/** Tokens that were shown and answered in each turn. */
export function turnCounts(transitions: readonly Transition[]) {
  return transitions.map(({ prompt, tokens }) => ({
    observationTokens: promptLength(prompt),
    actionTokens: tokens.length,
  }));
}

/** Counts the tokens of text in a prompt. */
export function promptLength(prompt: Transition["prompt"]): number {
  if (!("chunks" in prompt)) return prompt.length;
  return prompt.chunks.reduce((sum, chunk) => sum + ("tokens" in chunk ? chunk.tokens.length : 0), 0);
}
