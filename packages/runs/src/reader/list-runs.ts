import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  checkClock,
  checkKnownNames,
  checkString,
  errorMessage,
  systemClock,
} from "@tinkex/base";
import type { JsonObject } from "../lines/python-json.js";
import { isMissing, listIfThere } from "../lines/read-if-there.js";
import { RUN_FILES } from "../run/run-files.js";
import { RunReader } from "./run-reader.js";

/** Milliseconds after its last metrics for which a run counts as running, as in the cookbook. */
const MAX_QUIET_MS = 120_000;

export type RunStatus = "running" | "completed" | "idle";

/** Kind of training: supervised, reinforcement learning, preferences. */
export type RunType = "sl" | "rl" | "dpo";

/** A run that was found. */
export interface RunInfo {
  /** Name of its folder. */
  readonly runId: string;
  readonly directory: string;
  readonly status: RunStatus;
  /** Undefined where its `config.json` does not tell. */
  readonly type: RunType | undefined;
  /** Milliseconds since the Unix epoch; undefined before the first metrics. */
  readonly updatedAtMs: number | undefined;
  readonly iterationCount: number;
  /** Says which files of the folder cannot be read; the rest of what stands here is from the others. */
  readonly fault: string | undefined;
}

export interface ListRunsOptions {
  readonly clock?: Clock | undefined;
}

/**
 * Lists the runs in a folder, by the rules of the cookbook's registry: the folder itself where it is a run, else the folders in it that hold
 * metrics or a configuration.
 */
export async function listRuns(folder: string, options: ListRunsOptions = {}): Promise<readonly RunInfo[]> {
  checkString(folder, "listRuns: folder", "runs");
  checkKnownNames(options, { clock: true }, "the options of listRuns");
  const { clock = systemClock } = options;
  checkClock(clock, "listRuns: clock");
  const own = await describeRun(folder, "root", clock);
  if (own !== undefined) return [own];
  const names = [...(await listIfThere(folder))].sort();
  const runs = await Promise.all(names.map((name) => describeRun(join(folder, name), name, clock)));
  return runs.filter((run) => run !== undefined);
}

async function describeRun(directory: string, runId: string, clock: Clock): Promise<RunInfo | undefined> {
  const faults: string[] = [];
  // One run that cannot be read must not hide the others.
  const attempt = async <Value>(name: string, reading: Promise<Value>, otherwise: Value): Promise<Value> => {
    try {
      return await reading;
    } catch (error) {
      faults.push(`${join(directory, name)}: ${errorMessage(error)}`);
      return otherwise;
    }
  };
  const modified = (name: string) => attempt(name, modifiedAtMs(join(directory, name)), undefined);
  const [updatedAtMs, configAtMs] = await Promise.all([
    modified(RUN_FILES.metrics),
    modified(RUN_FILES.config),
  ]);
  if (updatedAtMs === undefined && configAtMs === undefined && faults.length === 0) return undefined;
  const reader = new RunReader(directory);
  const [config, checkpoints, iterations] = await Promise.all([
    attempt(RUN_FILES.config, reader.config(), undefined),
    attempt(RUN_FILES.checkpoints, reader.checkpoints(), []),
    attempt(".", reader.iterations(), []),
  ]);
  const isFinished = checkpoints.some(({ final }) => final === true);
  return {
    runId,
    directory,
    status: statusOf(updatedAtMs, isFinished, clock.now()),
    type: typeOf(config),
    updatedAtMs,
    iterationCount: iterations.length,
    fault: faults.length === 0 ? undefined : [...new Set(faults)].join("; "),
  };
}

function statusOf(updatedAtMs: number | undefined, isFinished: boolean, nowMs: number): RunStatus {
  if (updatedAtMs === undefined) return "idle";
  if (nowMs - updatedAtMs < MAX_QUIET_MS) return "running";
  return isFinished ? "completed" : "idle";
}

/** Fields by which the cookbook tells the kind of a run, the first that is there. */
const TYPE_FIELDS: readonly (readonly [field: string, type: RunType])[] = [
  ["dpo_beta", "dpo"],
  ["loss_fn", "rl"],
  ["num_epochs", "sl"],
];

function typeOf(config: JsonObject | undefined): RunType | undefined {
  return TYPE_FIELDS.find(([field]) => config?.[field] !== undefined)?.[1];
}

async function modifiedAtMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
