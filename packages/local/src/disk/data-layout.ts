import { join } from "node:path";
import type { CheckpointKind, CheckpointPlace } from "./checkpoint-record.js";

/** Files of a training run and of a checkpoint that are ours; the others belong to the engine. */
export const RUN_FILE = "run.json";
export const CHECKPOINT_FILE = "checkpoint.json";

/** Folder of unfinished saves inside a run. A save becomes a checkpoint by one rename out of it. */
const STAGING = "staging";
/** Folder of checkpoints that are being replaced or deleted. */
const RETIRED = "retired";

/**
 * Places in the data directory: `runs/<run>/<kind>/<name>/`. A run id holds colons, which some file systems
 * refuse, so it is escaped.
 */
export class DataLayout {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  get runs(): string {
    return join(this.root, "runs");
  }

  /** Adapters of sampling sessions that wait to be used again, in a folder for each server. */
  get parked(): string {
    return join(this.root, "parked");
  }

  /** Float32 weights of large base models, which their engines map into memory. They can be made again at any time. */
  get modelWeights(): string {
    return join(this.root, "model-weights");
  }

  /** Tells which server has the directory. */
  get lock(): string {
    return join(this.root, "server-lock");
  }

  runFolderName(runId: string): string {
    return encodeURIComponent(runId);
  }

  run(runId: string): string {
    return join(this.runs, this.runFolderName(runId));
  }

  runFile(runId: string): string {
    return join(this.run(runId), RUN_FILE);
  }

  checkpoints(runId: string, kind: CheckpointKind): string {
    return join(this.run(runId), kind);
  }

  checkpoint({ training_run_id: runId, kind, name }: CheckpointPlace): string {
    return join(this.checkpoints(runId, kind), name);
  }

  staging(runId: string): string {
    return join(this.run(runId), STAGING);
  }

  retired(runId: string): string {
    return join(this.run(runId), RETIRED);
  }
}

// Both become names of folders, so neither may hold a separator or begin with a dot.
const CHECKPOINT_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,254}$/;
const RUN_ID = /^[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,199}$/;

export function isCheckpointName(name: string): boolean {
  return CHECKPOINT_NAME.test(name);
}

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}
