import { describeValue, ValidationError } from "@tinkex/base";
import {
  type Checkpoint,
  type CheckpointsListResponse,
  type CheckpointType,
  type Cursor,
  Timestamp,
} from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import type { OffsetPage, PageOptions, WalkOptions } from "./offset-pages.js";
import type { RestRequest } from "./rest-request.js";

/** Saved weights as lists show them: the record of the API, and its times as dates. */
export interface ListedCheckpoint extends Checkpoint {
  /** `time` as a date. */
  readonly createdAt: Date;
  /** `expires_at` as a date; `undefined`: never. */
  readonly expiresAt: Date | undefined;
}

/** Checkpoints of a training run or of the caller. */
export interface ListedCheckpoints {
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Absent: this is all. */
  readonly cursor?: Cursor;
}

/** Options of one page of the caller's checkpoints, newest first; 100 where no `limit` is given. */
export interface ListUserCheckpointsOptions extends CallOptions, PageOptions {}

/** Options of walking through all the caller's checkpoints; signal and limit hold for each page. */
export interface UserCheckpointsOptions extends CallOptions, WalkOptions {
  /** Checkpoints of one type. No server has this filter: it is applied here, and all pages are read. */
  readonly checkpoint_type?: CheckpointType | undefined;
}

export const LIST_USER_CHECKPOINTS_OPTIONS = { ...CALL_OPTIONS, limit: true, offset: true } as const;
export const USER_CHECKPOINTS_OPTIONS = {
  ...CALL_OPTIONS,
  pageSize: true,
  checkpoint_type: true,
} as const satisfies Readonly<Record<keyof UserCheckpointsOptions, true>>;

/** Checkpoints that a page has where nothing else is asked for. */
export const CHECKPOINTS_PER_PAGE = 100;

const TYPES: readonly unknown[] = ["training", "sampler", "external", undefined];

/** @throws ValidationError */
export function checkCheckpointType(method: string, type: unknown): void {
  if (TYPES.includes(type)) return;
  throw new ValidationError(
    `${method}: checkpoint_type must be "training", "sampler" or "external", got ${describeValue(type)}`,
    { path: ["checkpoint_type"] },
  );
}

/** Reads all checkpoints of a training run. */
export async function readRunCheckpoints(request: RestRequest, run: string): Promise<ListedCheckpoints> {
  return listed(await request.ask("list_run_checkpoints", undefined, { path: { run } }));
}

/** Reads one page of the caller's checkpoints. */
export async function readUserCheckpoints(
  request: RestRequest,
  { limit, offset }: OffsetPage,
): Promise<ListedCheckpoints> {
  return listed(await request.ask("list_checkpoints", undefined, { query: { limit, offset } }));
}

/** Orders checkpoints by when they were made, the newest first. */
export function newestFirst(checkpoints: readonly ListedCheckpoint[]): ListedCheckpoint[] {
  return [...checkpoints].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** Tells whether a checkpoint's time is over: a service may list it, but gives it to nobody. */
export function isExpired({ expiresAt }: ListedCheckpoint, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= nowMs;
}

function listed({ checkpoints, ...rest }: CheckpointsListResponse): ListedCheckpoints {
  return { ...rest, checkpoints: checkpoints.map(withDates) };
}

function withDates(checkpoint: Checkpoint): ListedCheckpoint {
  const { time, expires_at } = checkpoint;
  return {
    ...checkpoint,
    createdAt: Timestamp.toDate(time),
    expiresAt: expires_at === undefined ? undefined : Timestamp.toDate(expires_at),
  };
}
