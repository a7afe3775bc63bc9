import type { TrainingRun, TrainingRunsResponse } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { type AccessScope, accessQuery, checkAccessScope } from "./access-scope.js";
import { checkId } from "./check-id.js";
import type { OffsetPage, PageOptions, WalkOptions } from "./offset-pages.js";
import type { RestRequest } from "./rest-request.js";

/** Runs that a list shows. */
export interface RunFilters {
  /** The caller's own, or all that the caller may see. @defaultValue `owned` */
  readonly access_scope?: AccessScope | undefined;
  /** Runs of one project. @defaultValue all projects */
  readonly project_id?: string | undefined;
}

/** Options of one page of training runs; 20 runs where no `limit` is given. */
export interface ListTrainingRunsOptions extends CallOptions, RunFilters, PageOptions {}

/** Options of walking through all training runs; signal and limit hold for each page. */
export interface TrainingRunsOptions extends CallOptions, RunFilters, WalkOptions {
  /** Runs of one base model. No server has this filter: it is applied here, and all pages are read. */
  readonly base_model?: string | undefined;
}

export const LIST_TRAINING_RUNS_OPTIONS = {
  ...CALL_OPTIONS,
  access_scope: true,
  project_id: true,
  limit: true,
  offset: true,
} as const satisfies Readonly<Record<keyof ListTrainingRunsOptions, true>>;
export const TRAINING_RUNS_OPTIONS = {
  ...CALL_OPTIONS,
  access_scope: true,
  project_id: true,
  pageSize: true,
  base_model: true,
} as const satisfies Readonly<Record<keyof TrainingRunsOptions, true>>;

/** Runs that a page has where nothing else is asked for. */
export const RUNS_PER_PAGE = 20;

/** @throws ValidationError for a filter of the wrong kind */
export function checkRunFilters(
  method: string,
  options: RunFilters & Pick<TrainingRunsOptions, "base_model">,
): void {
  checkAccessScope(method, options.access_scope);
  if (options.project_id !== undefined) checkId(method, "project_id", options.project_id);
  if (options.base_model !== undefined) checkId(method, "base_model", options.base_model);
}

/** Reads one page of training runs. @throws UnsupportedByServerError for a filter that an old server would ignore */
export function readTrainingRuns(
  request: RestRequest,
  { limit, offset }: OffsetPage,
  { access_scope, project_id }: RunFilters,
): Promise<TrainingRunsResponse> {
  if (project_id !== undefined && request.generation === "0.4") {
    throw request.unsupported("list_training_runs", undefined, " with a filter by project_id");
  }
  const query = { limit, offset, ...accessQuery(request, "list_training_runs", access_scope), project_id };
  return request.ask("list_training_runs", undefined, { query });
}

/** Reads one training run. */
export function readTrainingRun(
  request: RestRequest,
  run: string,
  access_scope: AccessScope | undefined,
): Promise<TrainingRun> {
  const query = accessQuery(request, "get_training_run", access_scope);
  return request.ask("get_training_run", undefined, { path: { run }, query });
}
