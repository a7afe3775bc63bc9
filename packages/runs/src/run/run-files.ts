import { checkString, describeValue, ValidationError } from "@tinkex/base";

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

/** Names of files come from it, so that it must be no path. */
const SPLIT_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** Folder of what one iteration leaves behind, `iteration_000020`. @throws ValidationError for what is no whole number from 0 */
export function iterationFolder(iteration: number): string {
  checkIteration("iteration", iteration);
  return `iteration_${String(iteration).padStart(6, "0")}`;
}

/** Number of an iteration by the name of its folder; undefined for other names. */
export function iterationOf(folder: string): number | undefined {
  const digits = ITERATION.exec(folder)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** End of the names of files with summaries of rollouts. */
export const ROLLOUTS_END = "_rollout_summaries.jsonl";

/** File of the summaries of rollouts, in the folder of their iteration. @throws ValidationError for a name with other characters than "eval_words" */
export function rolloutsFile(name: string): string {
  return `${checkedSplit(name)}${ROLLOUTS_END}`;
}

/** File of the tokens of the rollouts that are logged. @throws ValidationError as `rolloutsFile` does */
export function rolloutTokensFile(name: string): string {
  return `${checkedSplit(name)}_rollout_tokens.jsonl`;
}

/** @throws ValidationError for a step or iteration that is no whole number from 0 */
export function checkIteration(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new ValidationError(`${what} must be a whole number from 0, got ${describeValue(value)}`);
}

function checkedSplit(name: string): string {
  checkString(name, "the name of rollouts", "train");
  if (SPLIT_NAME.test(name)) return name;
  throw new ValidationError(
    `the name of rollouts must be of letters, digits, "_" and "-", e.g. "eval_words", got ${describeValue(name)}`,
  );
}
