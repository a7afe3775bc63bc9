/**
 * Names, units and address of the conventions that our spans and metrics follow: those of OpenTelemetry for generative AI, which are
 * in development and change, and `tinker.*` for what they have no word for. Every name that leaves this package stands here.
 */

/** Address of the schema: the GenAI conventions, in their state of "Development". */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev";

/** Name of the instrumentation scope. */
export const SCOPE_NAME = "@tinkex/telemetry";

/** Value of `gen_ai.provider.name`. */
export const PROVIDER_NAME = "tinker";

/** Value of `gen_ai.operation.name` of a sample, and first word of its span's name. */
export const SAMPLE_OPERATION = "text_completion";

/** Value of `gen_ai.token.modality`: what the service counts is text. */
export const TOKEN_MODALITY = "text";

/** Names of spans, or their beginnings. */
export const SPANS = {
  /** Followed by the method in snake_case, and the model. */
  operation: "tinker.",
  /** Followed by the model. */
  step: "tinker.step",
  /** Followed by the endpoint. */
  chunk: "tinker.chunk",
  /** Followed by the type of the request. */
  queue: "tinker.queue",
  /** Followed by the endpoint. */
  server: "tinker.server",
  /** Parts of an operation on a server. */
  serverPhases: {
    queue: "tinker.server.queue",
    compile: "tinker.server.compile",
    run: "tinker.server.run",
  },
} as const;

/** Names of events within spans. */
export const SPAN_EVENTS = {
  retry: "tinker.retry",
  pause: "tinker.pause",
  queueState: "tinker.queue_state",
} as const;

/** Names of attributes. */
export const ATTRIBUTES = {
  operationName: "gen_ai.operation.name",
  providerName: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  topP: "gen_ai.request.top_p",
  topK: "gen_ai.request.top_k",
  seed: "gen_ai.request.seed",
  choiceCount: "gen_ai.request.choice.count",
  stopSequences: "gen_ai.request.stop_sequences",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  tokenModality: "gen_ai.token.modality",
  serverAddress: "server.address",
  serverPort: "server.port",
  errorType: "error.type",
  httpMethod: "http.request.method",
  httpStatus: "http.response.status_code",
  httpResendCount: "http.request.resend_count",
  httpRequestSize: "http.request.body.size",
  httpResponseSize: "http.response.body.size",
  url: "url.full",
  sessionId: "tinker.session_id",
  runId: "tinker.run_id",
  samplingSessionId: "tinker.sampling_session_id",
  method: "tinker.method",
  requestId: "tinker.request_id",
  requestType: "tinker.request_type",
  seqId: "tinker.seq_id",
  lossFn: "tinker.loss_fn",
  datums: "tinker.datums",
  tokens: "tinker.tokens",
  queueState: "tinker.queue_state",
  queueReason: "tinker.queue_reason",
  chunkBytes: "tinker.chunk.bytes",
  checkpointKind: "tinker.checkpoint.kind",
  checkpointPath: "tinker.checkpoint.path",
  /** Followed by the name of a metric of a pass or a step, e.g. `loss:sum`. */
  metricPrefix: "tinker.metric.",
  endpoint: "tinker.endpoint",
  attempts: "tinker.attempts",
  outcome: "tinker.outcome",
  delayMs: "tinker.delay_ms",
} as const;

/** Bounds of the buckets of durations, in seconds, as the conventions give them. */
const DURATION_BUCKETS_S = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** Names, units, descriptions and buckets of metrics. */
export const METRICS = {
  operationDuration: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "Duration of a sample, from the call to its result.",
    buckets: DURATION_BUCKETS_S,
  },
  inputTokens: {
    name: "gen_ai.client.inference.usage.input_tokens",
    unit: "{token}",
    description: "Tokens of the prompts, those that the service had in its cache among them.",
  },
  outputTokens: {
    name: "gen_ai.client.inference.usage.output_tokens",
    unit: "{token}",
    description: "Tokens that were sampled.",
  },
  cachedTokens: {
    name: "gen_ai.client.inference.usage.cache_read.input_tokens",
    unit: "{token}",
    description: "Tokens of the prompts that the service had in its cache.",
  },
  trainingTokens: {
    name: "tinker.training.tokens",
    unit: "{token}",
    description: "Tokens of the data of passes that have a result.",
  },
  queueDepth: {
    name: "tinker.queue.depth",
    unit: "{request}",
    description: "Requests that the service has accepted and that have no result yet.",
  },
  stepDuration: {
    name: "tinker.step.duration",
    unit: "s",
    description: "Duration of a training step, from its first pass to the result of the optimizer.",
    buckets: DURATION_BUCKETS_S,
  },
} as const;
