export type { NewRows } from "./lines/json-lines-reader.js";
export type { Json, JsonObject } from "./lines/python-json.js";
export {
  type ListRunsOptions,
  listRuns,
  type RunInfo,
  type RunStatus,
  type RunType,
} from "./reader/list-runs.js";
export { type IterationInfo, RunReader, type RunReaderOptions } from "./reader/run-reader.js";
export { type OpenMetricsOptions, openMetrics } from "./run/open-metrics.js";
export { type OpenRowsOptions, openRows, type Rows } from "./run/open-rows.js";
export { type OpenRunOptions, openRun } from "./run/open-run.js";
export type {
  CheckpointRecord,
  MetricsRow,
  RolloutStep,
  RolloutSummary,
  RolloutTokens,
  RunMark,
  TimingSpan,
} from "./run/records.js";
export type { ResumePoint, Run } from "./run/run.js";
