/** Names of the files of a run, those of the Python cookbook and `tinkex.json`, which is ours. */
export const RUN_FILES = {
  config: "config.json",
  metrics: "metrics.jsonl",
  checkpoints: "checkpoints.jsonl",
  timing: "timing_spans.jsonl",
  log: "logs.log",
  mark: "tinkex.json",
} as const;

/** Version of `tinkex.json`. */
export const MARK_FORMAT = 1;

const ITERATION = /^iteration_([0-9]{1,12})$/;

/** Folder of what one iteration leaves behind, `iteration_000020`. */
export function iterationFolder(iteration: number): string {
  return `iteration_${String(iteration).padStart(6, "0")}`;
}

/** Number of an iteration by the name of its folder; undefined for other names. */
export function iterationOf(folder: string): number | undefined {
  const digits = ITERATION.exec(folder)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** File of the summaries of rollouts, in the folder of their iteration. @param name - `train`, or `eval_` and a name */
export function rolloutsFile(name: string): string {
  return `${name}_rollout_summaries.jsonl`;
}

/** File of the tokens of the rollouts that are logged. */
export function rolloutTokensFile(name: string): string {
  return `${name}_rollout_tokens.jsonl`;
}
