import type { ClientIdentity } from "./client-identity.js";

/** One call of a public method, and what it was given. Prompts, token ids, headers and keys are in no message. */
export interface OperationInfo {
  /** Counts the calls of one service client, from 1. */
  readonly operationId: number;
  readonly client: "ServiceClient" | "TrainingClient" | "SamplingClient" | "RestClient" | "AdminClient";
  /** As its caller spells it, e.g. `optimStep`. */
  readonly method: string;
  readonly modelId?: string | undefined;
  readonly samplingSessionId?: string | undefined;
  /** Name of the model below the weights, where it is known. */
  readonly baseModel?: string | undefined;
  readonly lossFn?: string | undefined;
  readonly datumCount?: number | undefined;
  /** Tokens of the data, or of the prompt. */
  readonly inputTokenCount?: number | undefined;
  /** Samples of the prompt. */
  readonly sampleCount?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | bigint | undefined;
}

/** Facts about an error, without its message, which may quote the service. The tracing channel `error` has the error itself. */
export interface FailureInfo {
  /** Name of the class, e.g. `ApiStatusError`. */
  readonly name: string;
  /** Code of a TinkexError, e.g. `not_found`. */
  readonly code: string | undefined;
  /** HTTP status, where the service refused. */
  readonly status: number | undefined;
  /** Origin of the fault where the work failed on the service, e.g. `user`. */
  readonly category: string | undefined;
  readonly isRetryable: boolean;
}

/** The parts that all messages of an operation have. */
export interface OperationMessageBase {
  readonly service: ClientIdentity;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly operation: OperationInfo;
}

/** Work that saved a checkpoint, by the kind of its path. */
export type SavedCheckpointKind = "training" | "sampler" | "external";

/** Messages of the channel `tinkex:operation`, in the order in which one operation publishes them. */
export type OperationMessage =
  /** The method was called. */
  | (OperationMessageBase & { readonly type: "operation.started" })
  /** The service has accepted a request of the work; one for each request, and for each new attempt of a sample. */
  | (OperationMessageBase & { readonly type: "operation.accepted"; readonly requestId: string })
  /** The service has accepted all requests of the work. `seqId`: place of its first request in the order of its model. */
  | (OperationMessageBase & { readonly type: "operation.submitted"; readonly seqId: number | undefined })
  /** Tokens that went in and came out, once a sample has its result. */
  | (OperationMessageBase & {
      readonly type: "operation.tokens";
      readonly inputTokenCount: number;
      readonly outputTokenCount: number;
      /** Tokens of the prompt that the service had in its cache, where it says so. */
      readonly cachedTokenCount: number | undefined;
      /** Reason for the end of each sequence. */
      readonly stopReasons: readonly string[];
    })
  /** Metrics of a pass or of a step of the optimizer, by their names on the wire, e.g. `loss:sum`. */
  | (OperationMessageBase & {
      readonly type: "operation.metrics";
      readonly metrics: Readonly<Record<string, number>>;
    })
  /** A checkpoint was saved. */
  | (OperationMessageBase & {
      readonly type: "operation.checkpoint";
      readonly kind: SavedCheckpointKind;
      /** A `tinker://` path. */
      readonly path: string;
    })
  /** The future was fulfilled. */
  | (OperationMessageBase & { readonly type: "operation.result"; readonly durationMs: number })
  /** The future was rejected. */
  | (OperationMessageBase & {
      readonly type: "operation.failed";
      readonly durationMs: number;
      readonly failure: FailureInfo;
    })
  /** The caller gave the work up: by `cancel()`, a signal, or closing the client. */
  | (OperationMessageBase & {
      readonly type: "operation.cancelled";
      readonly durationMs: number;
      readonly failure: FailureInfo;
    });

/** Message of the tracing channel `tinkex:operation`: one object for `start` to `asyncEnd`, which `error` adds the error to. */
export interface OperationTrace extends OperationMessageBase {
  requestId: string | undefined;
  seqId: number | undefined;
  /** Facts of the result, once there is one. */
  outcome: OperationOutcome | undefined;
  /** The error that the future is rejected with. */
  error?: unknown;
}

/** Facts of a result; what does not apply is absent. */
export interface OperationOutcome {
  readonly outputTokenCount?: number | undefined;
  readonly cachedTokenCount?: number | undefined;
  readonly stopReasons?: readonly string[] | undefined;
  readonly metrics?: Readonly<Record<string, number>> | undefined;
  readonly checkpoint?: { readonly kind: SavedCheckpointKind; readonly path: string } | undefined;
}
