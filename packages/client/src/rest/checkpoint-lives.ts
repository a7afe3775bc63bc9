import { ApiStatusError, describeValue, ValidationError } from "@tinkex/base";
import { CheckpointPath, type CheckpointType } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { checkCheckpointType, type ListedCheckpoint, readRunCheckpoints } from "./checkpoints.js";
import { deleteCheckpoint } from "./delete-checkpoint.js";
import { checkCount } from "./offset-pages.js";
import type { RestRequest } from "./rest-request.js";

/** Options of finding a run's newest checkpoint. */
export interface LatestCheckpointOptions extends CallOptions {
  /** @defaultValue `training` */
  readonly checkpoint_type?: CheckpointType | undefined;
}

/** Rules for which checkpoints of a run go. A checkpoint goes when every rule that is given lets it go. */
export interface PruneOptions extends CallOptions {
  /** Newest checkpoints of each type that stay. */
  readonly keep?: number | undefined;
  /** Only those go that were made before this. */
  readonly olderThan?: Date | undefined;
  /** Only those of one type go. @defaultValue all types */
  readonly checkpoint_type?: CheckpointType | undefined;
  /** Let published ones go too, which others may be using. @defaultValue false */
  readonly includePublic?: boolean | undefined;
  /** Delete nothing, and tell what would go. @defaultValue false */
  readonly dryRun?: boolean | undefined;
}

/** Outcome of pruning, newest first. */
export interface PruneResult {
  /** Those that are gone; in a dry run, those that would be. */
  readonly deleted: readonly ListedCheckpoint[];
  readonly kept: readonly ListedCheckpoint[];
  /** Sum of `size_bytes` of those that are gone, as far as the service tells their sizes. */
  readonly freedBytes: number;
}

export const LATEST_CHECKPOINT_OPTIONS = { ...CALL_OPTIONS, checkpoint_type: true } as const;
export const PRUNE_OPTIONS = {
  ...CALL_OPTIONS,
  keep: true,
  olderThan: true,
  checkpoint_type: true,
  includePublic: true,
  dryRun: true,
} as const satisfies Readonly<Record<keyof PruneOptions, true>>;

/** Finds a run's newest checkpoint of a type, unless its time is over. */
export async function readLatestCheckpoint(
  request: RestRequest,
  run: string,
  { checkpoint_type = "training" }: LatestCheckpointOptions,
): Promise<ListedCheckpoint | undefined> {
  const { checkpoints } = await readRunCheckpoints(request, run);
  const now = request.clock.now();
  return newestFirst(checkpoints).find(
    (each) => each.checkpoint_type === checkpoint_type && !((each.expiresAt?.getTime() ?? Infinity) <= now),
  );
}

/** @throws ValidationError for options by which all would go, or that are of the wrong kind */
export function checkPruneOptions({
  keep,
  olderThan,
  checkpoint_type,
  includePublic,
  dryRun,
}: PruneOptions): void {
  const fail = (name: keyof PruneOptions, fault: string): never => {
    throw new ValidationError(`prune: ${name} ${fault}`, { path: [name] });
  };
  if (keep === undefined && olderThan === undefined) {
    fail("keep", "or olderThan must be given, or all checkpoints of the run would go");
  }
  if (keep !== undefined) checkCount("prune", "keep", keep, 0);
  if (olderThan !== undefined && !(olderThan instanceof Date && !Number.isNaN(olderThan.getTime()))) {
    fail("olderThan", `must be a valid Date, got ${describeValue(olderThan)}`);
  }
  checkCheckpointType("prune", checkpoint_type);
  for (const [name, value] of Object.entries({ includePublic, dryRun })) {
    if (value === undefined || typeof value === "boolean") continue;
    throw new ValidationError(`prune: ${name} must be a boolean, got ${describeValue(value)}`, {
      path: [name],
    });
  }
}

/** Deletes checkpoints of a run by rules, oldest first, so that a break leaves the newest. One that is gone already counts as deleted. */
export async function pruneCheckpoints(
  request: RestRequest,
  run: string,
  options: PruneOptions,
): Promise<PruneResult> {
  const { checkpoints } = await readRunCheckpoints(request, run);
  const ordered = newestFirst(checkpoints);
  const doomed = new Set(ordered.filter((each) => mayGo(each, ordered, options)));
  if (options.dryRun !== true) {
    for (const { tinker_path } of [...doomed].reverse()) {
      await deleteCheckpoint(request, CheckpointPath.parse(tinker_path)).catch(unlessGone);
    }
  }
  return {
    deleted: [...doomed],
    kept: ordered.filter((each) => !doomed.has(each)),
    freedBytes: [...doomed].reduce((sum, { size_bytes = 0 }) => sum + size_bytes, 0),
  };
}

function mayGo(
  checkpoint: ListedCheckpoint,
  ordered: readonly ListedCheckpoint[],
  { keep = 0, olderThan, checkpoint_type, includePublic = false }: PruneOptions,
): boolean {
  if (checkpoint.public && !includePublic) return false;
  if (checkpoint_type !== undefined && checkpoint.checkpoint_type !== checkpoint_type) return false;
  if (olderThan !== undefined && checkpoint.createdAt.getTime() >= olderThan.getTime()) return false;
  const ofType = ordered.filter((each) => each.checkpoint_type === checkpoint.checkpoint_type);
  return ofType.indexOf(checkpoint) >= keep;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiStatusError && error.status === 404)) throw error;
}

function newestFirst(checkpoints: readonly ListedCheckpoint[]): ListedCheckpoint[] {
  return [...checkpoints].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}
