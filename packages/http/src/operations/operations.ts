import { MAX_CONTROL_BYTES, MAX_LIST_BYTES, MAX_RESULT_BYTES } from "./answer-limits.js";
import type { Operation } from "./operation.js";
import { USUAL, within } from "./try-timeouts.js";

/** What most rows share. */
const read = {
  method: "GET",
  pool: "rest",
  timeouts: USUAL,
  maxAnswerBytes: MAX_CONTROL_BYTES,
  retry: "patient",
  idempotent: "method",
  wire: "json",
} as const;
const write = {
  method: "POST",
  pool: "rest",
  timeouts: USUAL,
  maxAnswerBytes: MAX_CONTROL_BYTES,
  retry: "patient",
  idempotent: "key",
  wire: "json",
} as const;
const train = { ...write, pool: "train" } as const;
/** A name that is taken stays taken, and a first reason of finishing stays: waiting does not mend a 409. */
const conflictIsFinal = { finalStatuses: [409] } as const;

const list = { ...read, maxAnswerBytes: MAX_LIST_BYTES } as const;
/** What training and sampling give, at once or when it is asked for. */
const results = { maxAnswerBytes: MAX_RESULT_BYTES } as const;

/** These come before there are tokens, or are about the key itself. */
const withKey = { credential: "key" } as const;

const CHECKPOINT = "/api/v1/training_runs/{run}/checkpoints/{kind}/{name}";

/** Every call of the API by name. The transport is driven by this table alone. */
export const OPERATIONS = {
  // The service
  healthz: { ...read, path: "/api/v1/healthz", retry: "counted" },
  get_server_capabilities: { ...read, path: "/api/v1/get_server_capabilities" },
  client_config: { ...write, ...withKey, path: "/api/v1/client/config", pool: "session" },
  client_dynamic_config: {
    ...write,
    path: "/api/v1/client/dynamic_config",
    pool: "session",
    timeouts: within(10_000),
  },
  auth_token: { ...write, ...withKey, path: "/api/v1/auth/token", pool: "auth", retry: "counted" },
  get_api_key: {
    ...read,
    ...withKey,
    path: "/api/v1/auth/apikey/me",
    pool: "auth",
    timeouts: within(30_000),
    retry: "none",
  },
  revoke_api_key: {
    ...write,
    ...withKey,
    method: "DELETE",
    path: "/api/v1/auth/apikey/me",
    pool: "auth",
    timeouts: within(30_000),
    retry: "none",
    idempotent: "no",
  },
  telemetry: {
    ...write,
    path: "/api/v1/telemetry",
    pool: "telemetry",
    timeouts: within(5_000),
    retry: "counted",
  },

  // Sessions
  create_session: { ...write, path: "/api/v1/create_session", pool: "session", retry: "counted" },
  session_heartbeat: {
    ...write,
    path: "/api/v1/session_heartbeat",
    pool: "session",
    timeouts: within(10_000),
    retry: "none",
  },
  finish_session: { ...write, ...conflictIsFinal, path: "/api/v1/sessions/{session}/finish" },
  create_sampling_session: {
    ...write,
    path: "/api/v1/create_sampling_session",
    pool: "session",
    retry: "counted",
  },
  join_sampling_session: { ...write, path: "/api/v1/join_sampling_session", pool: "session" },

  // Models and training
  create_model: { ...train, path: "/api/v1/create_model", retry: "counted" },
  get_info: { ...train, path: "/api/v1/get_info" },
  unload_model: { ...train, path: "/api/v1/unload_model", retry: "counted" },
  create_custom_loss: { ...train, path: "/api/v1/create_custom_loss" },
  forward: { ...train, ...results, path: "/api/v1/forward", wire: "protobuf" },
  forward_backward: { ...train, ...results, path: "/api/v1/forward_backward", wire: "protobuf" },
  optim_step: { ...train, path: "/api/v1/optim_step" },
  load_weights: { ...train, path: "/api/v1/load_weights" },
  save_weights: { ...train, ...conflictIsFinal, path: "/api/v1/save_weights" },
  save_weights_for_sampler: { ...train, ...conflictIsFinal, path: "/api/v1/save_weights_for_sampler" },
  save_weights_external: { ...train, ...conflictIsFinal, path: "/api/v1/save_weights_external" },
  copy_weights: { ...train, path: "/api/v1/copy_weights" },
  weights_info: { ...train, path: "/api/v1/weights_info" },

  // Sampling and results
  asample: { ...write, ...results, path: "/api/v1/asample", pool: "sample" },
  retrieve_future: {
    ...write,
    ...results,
    path: "/api/v1/retrieve_future",
    pool: "poll",
    timeouts: within(45_000),
    retry: "none",
    wire: "protobuf",
  },
  retrieve_futures: {
    ...write,
    ...results,
    path: "/api/v1/retrieve_futures",
    pool: "poll",
    timeouts: within(45_000),
    retry: "none",
  },
  cancel_future: { ...write, path: "/api/v1/cancel_future", pool: "poll", timeouts: within(30_000) },

  // Training runs and checkpoints
  list_training_runs: { ...list, path: "/api/v1/training_runs" },
  get_training_run: { ...read, path: "/api/v1/training_runs/{run}" },
  list_run_checkpoints: { ...list, path: "/api/v1/training_runs/{run}/checkpoints" },
  delete_checkpoint: { ...write, method: "DELETE", path: CHECKPOINT },
  publish_checkpoint: { ...write, path: `${CHECKPOINT}/publish` },
  unpublish_checkpoint: { ...write, method: "DELETE", path: `${CHECKPOINT}/publish` },
  set_checkpoint_ttl: { ...write, method: "PUT", path: `${CHECKPOINT}/ttl` },
  get_checkpoint_archive: { ...read, path: `${CHECKPOINT}/archive`, retry: "archive", redirect: "return" },
  get_external_weights_urls: {
    ...list,
    path: "/api/v1/training_runs/{run}/checkpoints/external_weights/{name}/external_weights_urls",
  },
  list_checkpoints: { ...list, path: "/api/v1/checkpoints" },
  get_sampler: { ...read, path: "/api/v1/samplers/{sampler}" },

  // Sessions seen from outside, billing, audit
  list_sessions: { ...list, path: "/api/v1/sessions" },
  get_session: { ...read, path: "/api/v1/sessions/{session}" },
  search_sessions: { ...write, maxAnswerBytes: MAX_LIST_BYTES, path: "/api/v1/sessions/search" },
  set_session_project: { ...write, method: "PUT", path: "/api/v1/sessions/{session}/project" },
  get_trace_export: { ...list, path: "/api/v1/sessions/{session}/trace_export" },
  get_audit_log: { ...list, path: "/api/v1/audit" },
  get_billing_usage: { ...list, path: "/api/v1/billing/usage/events" },
  get_checkpoint_storage: { ...list, path: "/api/v1/billing/usage/checkpoints/current" },
} as const satisfies Readonly<Record<string, Operation>>;

/** The names a call may carry. */
export type OperationName = keyof typeof OPERATIONS;

/** The row of `name`, or `undefined` when there is none. */
export function findOperation(name: string): Operation | undefined {
  return Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;
}
