import { ENDPOINTS, type EndpointName, isEndpointName } from "@tinkex/types";
import { passBody } from "../test-client.js";

/** A request in the form of a recording. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly contentType?: string;
  readonly text?: string;
  readonly base64?: string;
}

/** Session of the recordings, in whose place a live one is put. */
export const RECORDED_SESSION = "00000000-0000-4000-8000-000000000001";

/** Session that requests may finish: the others go on in theirs. */
export const ENDED_SESSION = "00000000-0000-4000-8000-000000000002";
/** Future of the requests about one. */
export const RECORDED_FUTURE = "future-0-1";

const RUN = `${RECORDED_SESSION}:train:0`;
const SAMPLER = `${RECORDED_SESSION}:sample:0`;
const CHECKPOINT = `tinker://${RUN}/weights/ck-1`;

const PARAMETERS: Readonly<Record<string, string>> = {
  run: RUN,
  session: RECORDED_SESSION,
  sampler: SAMPLER,
  kind: "weights",
  name: "ck-1",
};

/** Body and query of a request. */
interface Request {
  readonly body?: object;
  readonly query?: string;
}

const pass = passBody(RUN, 3);
const { forward_backward_input } = pass as { readonly forward_backward_input: object };
const sdk_version = "0.38.0";
const sampling = {
  sampling_session_id: SAMPLER,
  seq_id: 3,
  prompt: { chunks: [{ tokens: [1, 2, 3], type: "encoded_text" }] },
  sampling_params: { max_tokens: 2, stop: ["x", "y"], seed: 3, temperature: 0.5, top_k: 3, top_p: 0.9 },
  prompt_logprobs: true,
  topk_prompt_logprobs: 2,
};

/** One request or more to each endpoint of the table: an endpoint without one does not compile. */
const REQUESTS: Readonly<Record<EndpointName, readonly [Request, ...Request[]]>> = {
  healthz: [{}],
  get_server_capabilities: [{}],
  client_config: [{ body: { sdk_version } }],
  client_dynamic_config: [{ body: { sdk_version } }],
  auth_token: [{}],
  get_api_key: [{}],
  revoke_api_key: [{}],
  telemetry: [
    {
      body: {
        session_id: RECORDED_SESSION,
        platform: "linux",
        sdk_version,
        events: [
          {
            event: "GENERIC_EVENT",
            event_id: "e-1",
            event_session_index: 1,
            event_name: "step",
            event_data: { loss: 1.5, of: [1, "two", null] },
            severity: "INFO",
            timestamp: "2027-01-15T08:00:00Z",
          },
          {
            event: "UNHANDLED_EXCEPTION",
            event_id: "e-2",
            event_session_index: 2,
            error_message: "boom",
            error_type: "Error",
            severity: "ERROR",
            timestamp: "2027-01-15T08:00:00Z",
          },
        ],
      },
    },
  ],
  create_session: [{ body: { tags: ["a"], user_metadata: { n: 1 }, sdk_version, display_name: "d" } }],
  session_heartbeat: [{ body: { session_id: RECORDED_SESSION } }],
  finish_session: [{ body: { reason: { type: "success" } } }],
  create_sampling_session: [
    { body: { session_id: RECORDED_SESSION, sampling_session_seq_id: 1, model_path: CHECKPOINT } },
  ],
  join_sampling_session: [{ body: { sampling_session_id: SAMPLER } }],
  create_model: [
    {
      body: {
        session_id: RECORDED_SESSION,
        model_seq_id: 1,
        base_model: "Qwen/Qwen3-8B",
        lora_config: { rank: 4, seed: 1 },
      },
    },
  ],
  get_info: [{ body: { model_id: RUN } }],
  unload_model: [{ body: { model_id: `${RECORDED_SESSION}:train:1` } }],
  create_custom_loss: [
    {
      body: {
        session_id: RECORDED_SESSION,
        custom_loss_seq_id: 0,
        name: "mean",
        inputs: [{ name: "logprobs", rank: 2 }],
        graph: { format: 1, nodes: [] },
      },
    },
  ],
  forward: [{ body: { model_id: RUN, seq_id: 3, forward_input: forward_backward_input } }],
  forward_backward: [{ body: pass }],
  optim_step: [{ body: { model_id: RUN, seq_id: 3, adam_params: { learning_rate: 1e-3 } } }],
  load_weights: [{ body: { model_id: RUN, seq_id: 3, path: CHECKPOINT, optimizer: true } }],
  save_weights: [
    { body: { model_id: RUN, seq_id: 3, path: "ck-1", overwrite: true, ttl_seconds: 60 } },
    { body: { model_id: RUN, seq_id: 3, path: "ck-2", user_metadata: { a: "b" } } },
  ],
  save_weights_for_sampler: [
    { body: { model_id: RUN, seq_id: 3, path: "s-1" } },
    { body: { model_id: RUN, seq_id: 3, sampling_session_seq_id: 2, kind: "inflight" } },
  ],
  save_weights_external: [{ body: { model_id: RUN, seq_id: 3, path: "e-1", age_encryption_recipients: [] } }],
  copy_weights: [{ body: { source_path: CHECKPOINT } }],
  weights_info: [{ body: { tinker_path: CHECKPOINT } }],
  asample: [
    { body: sampling },
    { body: { ...sampling, sampling_session_id: undefined, model_path: CHECKPOINT } },
  ],
  retrieve_future: [{ body: { request_id: RECORDED_FUTURE } }],
  retrieve_futures: [
    {
      body: {
        target: { type: "sampling_session", sampling_session_id: SAMPLER },
        prev_cursor: 0,
        timeout: 0.01,
      },
    },
  ],
  cancel_future: [{ body: { request_id: RECORDED_FUTURE } }],
  list_training_runs: [{}, { query: "limit=2&offset=1" }],
  get_training_run: [{}],
  list_run_checkpoints: [{}],
  delete_checkpoint: [{}],
  publish_checkpoint: [{}],
  unpublish_checkpoint: [{}],
  set_checkpoint_ttl: [{ body: { ttl_seconds: 60 } }, { body: { ttl_seconds: null } }],
  get_checkpoint_archive: [{}],
  get_external_weights_urls: [{}],
  list_checkpoints: [{}, { query: "limit=2&offset=1" }],
  get_sampler: [{}],
  list_sessions: [{}, { query: "limit=2&offset=1" }],
  get_session: [{}],
  search_sessions: [
    { body: { owner: { type: "own" }, statuses: [{ type: "active" }], limit: 2, user_metadata: { a: "b" } } },
  ],
  set_session_project: [{ body: { project_id: "p" } }],
  get_trace_export: [{}],
  get_audit_log: [{}],
  get_billing_usage: [{ query: "starting_on=2027-01-15T08:00:00Z&ending_before=2027-01-16T08:00:00Z" }],
  get_checkpoint_storage: [{}],
};

/** Routes that are no endpoints of the table: files of models and of exports. */
const FURTHER_PATHS = [
  "/Qwen/Qwen3-8B/resolve/main/config.json",
  "/api/models/Qwen/Qwen3-8B",
  "/api/models/Qwen/Qwen3-8B/tree/main",
  `/api/v1/files/${RUN}/external_weights/e-1/adapter_config.json?expires=1&signature=x`,
];

/** Requests to every route, as recordings have them. */
export function endpointRequests(): Exchange[] {
  const ofTable = Object.entries(REQUESTS).flatMap(([name, requests]) => {
    if (!isEndpointName(name)) return [];
    const { method, path } = ENDPOINTS[name];
    const parameters: Readonly<Record<string, string>> = {
      ...PARAMETERS,
      ...(name === "finish_session" && { session: ENDED_SESSION }),
    };
    const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => parameters[part] ?? part);
    return requests.map(
      ({ body, query }): Exchange => ({
        method,
        path: `/api/v1${filled}${query === undefined ? "" : `?${query}`}`,
        accept: "application/json",
        ...(body === undefined ? {} : { contentType: "application/json", text: JSON.stringify(body) }),
      }),
    );
  });
  const files = FURTHER_PATHS.map((path): Exchange => ({ method: "GET", path, accept: "*/*" }));
  return [...ofTable, ...files];
}
