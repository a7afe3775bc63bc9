import { ApiStatusError, describeValue, errorMessage, ResponseError, ValidationError } from "@tinkex/base";
import { CheckpointPath, type CheckpointType } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import {
  checkCheckpointType,
  isExpired,
  type ListedCheckpoint,
  newestFirst,
  readRunCheckpoints,
} from "./checkpoints.js";
import { deleteCheckpoint } from "./delete-checkpoint.js";
import { checkCount } from "./offset-pages.js";
import type { RestRequest } from "./rest-request.js";

/** Rules for which checkpoints of a run go. A checkpoint goes when every rule that is given lets it go. */
export interface PruneOptions extends CallOptions {
  /** Newest checkpoints of each type that stay. One whose time is over does not count, and may go. */
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

export const PRUNE_OPTIONS = {
  ...CALL_OPTIONS,
  keep: true,
  olderThan: true,
  checkpoint_type: true,
  includePublic: true,
  dryRun: true,
} as const satisfies Readonly<Record<keyof PruneOptions, true>>;

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

/**
 * Deletes checkpoints of a run by rules, oldest first, so that a break leaves the newest. One that is gone already counts as deleted.
 *
 * @throws ResponseError, before anything is deleted, when the service's list has a path that is none or is of another run
 */
export async function pruneCheckpoints(
  request: RestRequest,
  run: string,
  options: PruneOptions,
): Promise<PruneResult> {
  const { checkpoints } = await readRunCheckpoints(request, run);
  const paths = new Map(
    checkpoints.map(({ tinker_path: path }) => [path, pathOfRun(request.method, run, path)]),
  );
  const ordered = onceEach(newestFirst(checkpoints));
  const doomed = new Set(thoseThatGo(ordered, options, request.clock.now()));
  if (options.dryRun !== true) {
    for (const { tinker_path } of [...doomed].reverse()) {
      const path = paths.get(tinker_path);
      if (path !== undefined) await deleteCheckpoint(request, path).catch(unlessGone);
    }
  }
  return {
    deleted: [...doomed],
    kept: ordered.filter((each) => !doomed.has(each)),
    freedBytes: [...doomed].reduce((sum, { size_bytes = 0 }) => sum + size_bytes, 0),
  };
}

/** Reads a path of the service's list. @throws ResponseError for one that is no checkpoint of the run */
function pathOfRun(method: string, run: string, tinkerPath: string): CheckpointPath {
  const fail = (fault: string, cause?: unknown): ResponseError =>
    new ResponseError(
      `${method}: the service lists ${describeValue(tinkerPath)} among the checkpoints of ${run}, ${fault}; nothing was deleted`,
      { cause },
    );
  let path: CheckpointPath;
  try {
    path = CheckpointPath.parse(tinkerPath);
  } catch (error) {
    throw fail(`but ${errorMessage(error)}`, error);
  }
  if (path.training_run_id !== run) throw fail("which is of another run");
  return path;
}

/** Takes a checkpoint once that the list has several times. Where one of them is public, it is. */
function onceEach(checkpoints: readonly ListedCheckpoint[]): ListedCheckpoint[] {
  const byPath = new Map<string, ListedCheckpoint>();
  for (const each of checkpoints) {
    const known = byPath.get(each.tinker_path);
    byPath.set(
      each.tinker_path,
      known === undefined ? each : { ...known, public: known.public || each.public },
    );
  }
  return [...byPath.values()];
}

/**
 * Picks those that every rule lets go. One that has expired is no checkpoint to go on from, so that it takes no place of the newest.
 *
 * @param ordered - checkpoints of one run, newest first, each once
 */
export function thoseThatGo(
  ordered: readonly ListedCheckpoint[],
  { keep = 0, olderThan, checkpoint_type, includePublic = false }: PruneOptions,
  nowMs: number,
): ListedCheckpoint[] {
  const seenOfType = new Map<string, number>();
  return ordered.filter((each) => {
    const { checkpoint_type: type, createdAt, public: isPublic } = each;
    if (!isExpired(each, nowMs)) {
      const newerOnes = seenOfType.get(type) ?? 0;
      seenOfType.set(type, newerOnes + 1);
      if (newerOnes < keep) return false;
    }
    if (isPublic && !includePublic) return false;
    if (checkpoint_type !== undefined && type !== checkpoint_type) return false;
    return olderThan === undefined || createdAt.getTime() < olderThan.getTime();
  });
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiStatusError && error.status === 404)) throw error;
}
