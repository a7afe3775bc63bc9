import type { Records } from "./records.js";

/** The generations of servers, by the official SDK whose requests they know. */
export type ApiGeneration = "0.4" | "0.25" | "0.38";

/** The name of a record, e.g. `OptimStepRequest`. */
type RecordName = keyof Records;

/** One endpoint of the API: where it is, what goes in and what comes out. How often it is tried stands in `@tinkex/http`. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below `/api/v1`; `{name}` parts are filled from the call. */
  readonly path: string;
  /** The record that is the body. Absent: there is none. */
  readonly request?: RecordName;
  /** The record whose fields are the query of the address. */
  readonly query?: RecordName;
  /** The record that answers at once. Absent: the body of the answer has no meaning. */
  readonly response?: RecordName;
  /** Set where the answer is an `UntypedAPIFuture`, the ticket for a result that `retrieve_future` gives later. */
  readonly future?: {
    /** The record of the result. */
    readonly result: RecordName;
    /** The operation's name in the header `X-Tinker-Request-Type` of its polls. */
    readonly requestType: string;
  };
  /** The oldest generation of servers that has the endpoint. */
  readonly since: ApiGeneration;
}

/** Builds an endpoint that is named like its path, takes a record and answers at once. */
function exchange<
  const Path extends string,
  const Request extends RecordName,
  const Response extends RecordName,
  const Since extends ApiGeneration = "0.4",
>(path: Path, request: Request, response: Response, since?: Since) {
  return { method: "POST", path, request, response, since: since ?? "0.4" } as const;
}

/** Builds an endpoint that starts work and answers with the ticket for its result. */
function operation<
  const Path extends string,
  const Type extends string,
  const Request extends RecordName,
  const Result extends RecordName,
>(path: Path, requestType: Type, request: Request, result: Result, since: ApiGeneration = "0.4") {
  return {
    method: "POST",
    path,
    request,
    response: "UntypedAPIFuture",
    future: { result, requestType },
    since,
  } as const;
}

/** Builds an endpoint that is read. */
function read<const Path extends string, const Response extends RecordName>(
  path: Path,
  response: Response,
  since: ApiGeneration = "0.4",
) {
  return { method: "GET", path, response, since } as const;
}

const CHECKPOINT = "/training_runs/{run}/checkpoints/{kind}/{name}";

/**
 * Every endpoint of the API by name: what the API is. The codecs of `@tinkex/wire`, the policies of `@tinkex/http`, the calls of
 * `@tinkex/client` and the routes of `@tinkex/local` derive from this table.
 */
export const ENDPOINTS = {
  // The service
  healthz: read("/healthz", "HealthResponse"),
  get_server_capabilities: read("/get_server_capabilities", "GetServerCapabilitiesResponse"),
  client_config: exchange("/client/config", "ClientConfigRequest", "ClientConfigResponse", "0.25"),
  client_dynamic_config: exchange(
    "/client/dynamic_config",
    "ClientConfigRequest",
    "ClientDynamicConfigResponse",
    "0.38",
  ),
  auth_token: { method: "POST", path: "/auth/token", response: "AuthTokenResponse", since: "0.25" },
  get_api_key: read("/auth/apikey/me", "ApiKeyInfoResponse", "0.38"),
  revoke_api_key: { method: "DELETE", path: "/auth/apikey/me", since: "0.38" },
  telemetry: exchange("/telemetry", "TelemetrySendRequest", "TelemetryResponse"),

  // Sessions
  create_session: exchange("/create_session", "CreateSessionRequest", "CreateSessionResponse"),
  session_heartbeat: exchange("/session_heartbeat", "SessionHeartbeatRequest", "SessionHeartbeatResponse"),
  finish_session: {
    method: "POST",
    path: "/sessions/{session}/finish",
    request: "FinishSessionRequest",
    since: "0.38",
  },
  create_sampling_session: exchange(
    "/create_sampling_session",
    "CreateSamplingSessionRequest",
    "CreateSamplingSessionResponse",
  ),
  join_sampling_session: exchange(
    "/join_sampling_session",
    "JoinSamplingSessionRequest",
    "JoinSamplingSessionResponse",
    "0.38",
  ),

  // Models and training
  create_model: operation("/create_model", "CreateModel", "CreateModelRequest", "CreateModelResponse"),
  get_info: exchange("/get_info", "GetInfoRequest", "GetInfoResponse"),
  unload_model: operation("/unload_model", "UnloadModel", "UnloadModelRequest", "UnloadModelResponse"),
  create_custom_loss: operation(
    "/create_custom_loss",
    "CreateCustomLoss",
    "CreateCustomLossRequest",
    "CreateCustomLossResponse",
    "0.38",
  ),
  forward: operation("/forward", "Forward", "ForwardRequest", "ForwardBackwardOutput"),
  forward_backward: operation(
    "/forward_backward",
    "ForwardBackward",
    "ForwardBackwardRequest",
    "ForwardBackwardOutput",
  ),
  optim_step: operation("/optim_step", "OptimStep", "OptimStepRequest", "OptimStepResponse"),
  load_weights: operation("/load_weights", "LoadWeights", "LoadWeightsRequest", "LoadWeightsResponse"),
  save_weights: operation("/save_weights", "SaveWeights", "SaveWeightsRequest", "SaveWeightsResponse"),
  save_weights_for_sampler: operation(
    "/save_weights_for_sampler",
    "SaveWeightsForSampler",
    "SaveWeightsForSamplerRequest",
    "SaveWeightsForSamplerResponse",
  ),
  save_weights_external: operation(
    "/save_weights_external",
    "SaveWeightsExternal",
    "SaveWeightsExternalRequest",
    "SaveWeightsExternalResponse",
    "0.25",
  ),
  copy_weights: exchange("/copy_weights", "CopyWeightsRequest", "CopyWeightsResponse", "0.38"),
  weights_info: exchange("/weights_info", "WeightsInfoRequest", "WeightsInfoResponse"),

  // Sampling and results
  asample: operation("/asample", "Sample", "SampleRequest", "SampleResponse"),
  retrieve_future: {
    method: "POST",
    path: "/retrieve_future",
    request: "FutureRetrieveRequest",
    since: "0.4",
  },
  retrieve_futures: exchange(
    "/retrieve_futures",
    "FuturesRetrieveRequest",
    "FuturesRetrieveResponse",
    "0.38",
  ),
  cancel_future: { method: "POST", path: "/cancel_future", request: "CancelFutureRequest", since: "0.38" },

  // Training runs and checkpoints
  list_training_runs: read("/training_runs", "TrainingRunsResponse"),
  get_training_run: read("/training_runs/{run}", "TrainingRun"),
  list_run_checkpoints: read("/training_runs/{run}/checkpoints", "CheckpointsListResponse"),
  delete_checkpoint: { method: "DELETE", path: CHECKPOINT, since: "0.4" },
  publish_checkpoint: { method: "POST", path: `${CHECKPOINT}/publish`, since: "0.4" },
  unpublish_checkpoint: { method: "DELETE", path: `${CHECKPOINT}/publish`, since: "0.4" },
  set_checkpoint_ttl: {
    method: "PUT",
    path: `${CHECKPOINT}/ttl`,
    request: "SetCheckpointTtlRequest",
    since: "0.25",
  },
  get_checkpoint_archive: read(`${CHECKPOINT}/archive`, "CheckpointArchiveUrlResponse"),
  get_external_weights_urls: read(
    "/training_runs/{run}/checkpoints/external_weights/{name}/external_weights_urls",
    "ExternalWeightsUrlsResponse",
    "0.25",
  ),
  list_checkpoints: read("/checkpoints", "CheckpointsListResponse"),
  get_sampler: read("/samplers/{sampler}", "GetSamplerResponse", "0.25"),

  // Sessions seen from outside, billing, audit
  list_sessions: read("/sessions", "ListSessionsResponse"),
  get_session: read("/sessions/{session}", "GetSessionResponse"),
  search_sessions: exchange("/sessions/search", "SessionSearchRequest", "SessionSearchResponse", "0.25"),
  set_session_project: {
    method: "PUT",
    path: "/sessions/{session}/project",
    request: "SetSessionProjectRequest",
    since: "0.38",
  },
  get_trace_export: read("/sessions/{session}/trace_export", "TraceExportResponse", "0.38"),
  get_audit_log: read("/audit", "AuditLogResponse", "0.38"),
  get_billing_usage: {
    method: "GET",
    path: "/billing/usage/events",
    query: "GetBillingUsageRequest",
    response: "BillingUsageResponse",
    since: "0.38",
  },
  get_checkpoint_storage: {
    method: "GET",
    path: "/billing/usage/checkpoints/current",
    query: "GetCurrentCheckpointStorageUsageRequest",
    response: "CurrentCheckpointStorageUsageResponse",
    since: "0.38",
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** The table with the exact type of each row. */
export type Endpoints = typeof ENDPOINTS;

/** The name of an endpoint, e.g. `optim_step`. */
export type EndpointName = keyof Endpoints;

/** The name of an endpoint that is answered by a future. */
export type OperationName = {
  [Name in EndpointName]: Endpoints[Name] extends { readonly future: object } ? Name : never;
}[EndpointName];

/** The record that an endpoint takes as its body; `undefined` where it takes none. */
export type RequestOf<Name extends EndpointName> = Endpoints[Name] extends {
  readonly request: infer Request extends RecordName;
}
  ? Records[Request]
  : undefined;

/** The record that an endpoint answers at once; `undefined` where the body of the answer has no meaning. */
export type ResponseOf<Name extends EndpointName> = Endpoints[Name] extends {
  readonly response: infer Response extends RecordName;
}
  ? Records[Response]
  : undefined;

/** The record that the future of an operation gives. */
export type ResultOf<Name extends OperationName> =
  Endpoints[Name]["future"]["result"] extends infer Result extends RecordName ? Records[Result] : never;

/** Values for the `{name}` parts of a path. */
export type PathParametersOf<Name extends EndpointName> = ParametersIn<Endpoints[Name]["path"]>;

type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Part in Name]: string } & ParametersIn<Rest>
  : unknown;

/** Tells whether a name is that of an endpoint, for names that come from outside. */
export function isEndpointName(name: string): name is EndpointName {
  return typeof name === "string" && Object.hasOwn(ENDPOINTS, name);
}
