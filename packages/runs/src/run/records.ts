import type { JsonObject } from "../lines/python-json.js";

/** A line of `metrics.jsonl`: the step, and numbers by the cookbook's names. */
export interface MetricsRow extends JsonObject {
  readonly step?: number | undefined;
}

/** A line of `checkpoints.jsonl`. Further keys are kept as they are. */
export interface CheckpointRecord extends JsonObject {
  /** Six digits of the step, or `final`. */
  readonly name: string;
  /** The batch to train next. Where there is an epoch, supervised loops of the cookbook count it within that. */
  readonly batch?: number | undefined;
  readonly epoch?: number | undefined;
  /** Number of steps in the checkpoint, which our recipes write. */
  readonly steps?: number | undefined;
  readonly final?: true | undefined;
  /** Weights and state of the optimizer, to go on from. */
  readonly state_path?: string | undefined;
  /** Weights to sample from. */
  readonly sampler_path?: string | undefined;
}

/** A line of `timing_spans.jsonl`. Durations and times in seconds. */
export interface TimingSpan extends JsonObject {
  readonly name: string;
  readonly duration: number;
  readonly wall_start: number;
  readonly wall_end: number;
}

/** One step of a trajectory: what was seen and answered, counted in tokens. */
export interface RolloutStep extends JsonObject {
  readonly step_idx: number;
  readonly ob_len: number;
  readonly ac_len: number;
  readonly reward: number;
  readonly episode_done: boolean;
  readonly metrics: JsonObject;
  readonly logs: JsonObject;
}

/** A line of `…_rollout_summaries.jsonl`: one trajectory. */
export interface RolloutSummary extends JsonObject {
  readonly schema_version: 1;
  /** `train`, or `eval/` and a name. */
  readonly split: string;
  readonly iteration: number;
  readonly group_idx: number;
  readonly traj_idx: number;
  readonly tags: readonly string[];
  readonly sampling_client_step: number | null;
  readonly total_reward: number;
  readonly final_reward: number;
  readonly trajectory_metrics: JsonObject;
  readonly steps: readonly RolloutStep[];
  readonly final_ob_len: number;
}

/**
 * A line of `…_rollout_tokens.jsonl`: one trajectory of a group that is logged, all arrays of one length. `pieces` are the tokens as
 * text, so that a viewer needs no tokenizer.
 */
export interface RolloutTokens extends JsonObject {
  readonly group_idx: number;
  readonly traj_idx: number;
  readonly pieces: readonly string[];
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly advantages: readonly number[];
  /** 1 on sampled tokens, 0 on what was shown. */
  readonly mask: readonly number[];
  readonly trainer_logprobs?: readonly number[] | undefined;
}

/** The file `tinkex.json`, which guards a run against another configuration. */
export interface RunMark extends JsonObject {
  readonly format: number;
  readonly recipe: string;
  readonly version: string;
  readonly configHash: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The process that wrote the run last. */
  readonly pid: number;
}
