import type { EndpointName } from "@tinkex/types/endpoints";
import type { Policy } from "./policy.js";
import { MAX_CONTROL_BYTES, MAX_LIST_BYTES, MAX_RESULT_BYTES, USUAL, within } from "./policy.js";

/** Reads of the REST endpoints. */
const read: Policy = {
  pool: "rest",
  timeouts: USUAL,
  maxAnswerBytes: MAX_CONTROL_BYTES,
  retry: "patient",
  idempotent: "method",
  wire: "json",
};
const list: Policy = { ...read, maxAnswerBytes: MAX_LIST_BYTES };
/** Changes through the REST endpoints. */
const write: Policy = { ...read, idempotent: "key" };
const session: Policy = { ...write, pool: "session" };
const train: Policy = { ...write, pool: "train" };
/** A training pass, whose answer some servers give at once. */
const pass: Policy = { ...train, maxAnswerBytes: MAX_RESULT_BYTES, wire: "protobuf" };
/** A name that is taken stays taken, and a first reason of finishing stays: waiting does not mend a 409. */
const save: Policy = { ...train, finalStatuses: [409] };
/** A checkpoint that is published already stays so: waiting does not mend a 409. */
const publish: Policy = { ...write, finalStatuses: [409] };
/** The client has its own loop around polls. */
const poll: Policy = {
  ...write,
  pool: "poll",
  timeouts: within(45_000),
  maxAnswerBytes: MAX_RESULT_BYTES,
  retry: "none",
};
/** Calls about the key itself. */
const key: Policy = {
  ...read,
  pool: "auth",
  timeouts: within(30_000),
  retry: "none",
  credential: "key",
};

/** The policy of every endpoint. The transport is driven by this table and that of the endpoints alone. */
export const POLICIES = {
  // The service
  healthz: { ...read, retry: "counted" },
  get_server_capabilities: read,
  client_config: { ...session, credential: "key" },
  client_dynamic_config: { ...session, timeouts: within(10_000) },
  auth_token: { ...write, pool: "auth", retry: "counted", credential: "key" },
  get_api_key: key,
  revoke_api_key: { ...key, idempotent: "no" },
  telemetry: { ...write, pool: "telemetry", timeouts: within(5_000), retry: "counted" },

  // Sessions
  create_session: { ...session, retry: "counted" },
  session_heartbeat: { ...session, timeouts: within(10_000), retry: "none" },
  finish_session: { ...write, finalStatuses: [409] },
  create_sampling_session: { ...session, retry: "counted" },
  join_sampling_session: session,

  // Models and training
  create_model: { ...train, retry: "counted" },
  get_info: train,
  unload_model: { ...train, retry: "counted" },
  create_custom_loss: train,
  forward: pass,
  forward_backward: pass,
  optim_step: train,
  load_weights: train,
  save_weights: save,
  save_weights_for_sampler: save,
  save_weights_external: save,
  copy_weights: train,
  weights_info: train,

  // Sampling and results
  asample: { ...write, pool: "sample", maxAnswerBytes: MAX_RESULT_BYTES },
  retrieve_future: { ...poll, wire: "protobuf" },
  retrieve_futures: poll,
  cancel_future: { ...write, pool: "poll", timeouts: within(30_000) },

  // Training runs and checkpoints
  list_training_runs: list,
  get_training_run: read,
  list_run_checkpoints: list,
  delete_checkpoint: write,
  publish_checkpoint: publish,
  unpublish_checkpoint: publish,
  set_checkpoint_ttl: write,
  get_checkpoint_archive: { ...read, retry: "archive", redirect: "return" },
  get_external_weights_urls: list,
  list_checkpoints: list,
  get_sampler: read,

  // Sessions seen from outside, billing, audit
  list_sessions: list,
  get_session: read,
  search_sessions: { ...write, maxAnswerBytes: MAX_LIST_BYTES },
  set_session_project: write,
  get_trace_export: list,
  get_audit_log: list,
  get_billing_usage: list,
  get_checkpoint_storage: list,
} as const satisfies Readonly<Record<EndpointName, Policy>>;
