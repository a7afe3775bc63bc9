import type { ClientIdentity } from "./client-identity.js";

/** The parts that all messages of an HTTP request have. */
export interface RequestMessageBase {
  readonly service: ClientIdentity;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The call that the request is made for; `undefined` for heartbeats and polls that several calls share. */
  readonly operationId: number | undefined;
  /** Name of the endpoint, e.g. `forward_backward`. */
  readonly endpoint: string;
}

/** One try of a request. */
export interface RequestTry {
  /** HTTP method. */
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  /** Bytes of the body. */
  readonly byteLength: number;
}

/** The end of a try. */
export interface RequestTryEnd {
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined;
  /** `answered 200`, `ECONNRESET`, … or the code of the error that ended the call meanwhile, such as `aborted`. */
  readonly outcome: string;
  /** Bytes of the answer's body. */
  readonly answerByteLength: number;
  readonly durationMs: number;
}

/** Messages of the channel `tinkex:request`. */
export type RequestMessage =
  | (RequestMessageBase & RequestTry & { readonly type: "request.try" })
  | (RequestMessageBase & RequestTry & RequestTryEnd & { readonly type: "request.answer" })
  /** The request goes out again after a pause. */
  | (RequestMessageBase & {
      readonly type: "request.retry";
      /** Tries made so far. */
      readonly attempts: number;
      readonly outcome: string;
      readonly delayMs: number;
    })
  /** The service has asked for quiet, and requests of the kind wait. */
  | (RequestMessageBase & { readonly type: "request.pause"; readonly delayMs: number });

/** Message of the tracing channel `tinkex:request`: one object for `start` to `asyncEnd` of one try. */
export interface RequestTrace extends RequestMessageBase, RequestTry {
  /** The end of the try, once it has one. */
  end: RequestTryEnd | undefined;
  /** Headers that a tracer adds to the try while `start` is published, e.g. `traceparent`; one that the request has stays as it is. */
  headers: Record<string, string> | undefined;
  /** Set when no answer came. */
  error?: unknown;
}
