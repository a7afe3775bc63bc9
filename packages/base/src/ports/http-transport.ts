/** One call of the API: which operation, and what goes with it. */
export interface TransportCall {
  /** A row of the transport's table of operations, e.g. `forward_backward`: it says method, path, pool, limits, retry. */
  readonly operation: string;
  /** Values for `{name}` parts of the operation's path; escaped by the transport. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  /** Query parameters; `undefined` values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: Uint8Array;
  /** @defaultValue `application/json` when there is a body */
  readonly contentType?: string;
  /** @defaultValue `application/json` */
  readonly accept?: string;
  /** Further headers of this call, e.g. `X-Tinker-Request-Type`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error statuses that the caller reads itself: they are returned, not thrown and not retried. */
  readonly returnStatuses?: readonly number[];
  /**
   * Tells whether the body of a success is one. What is not, such as a proxy's page, is a failed try that is repeated under the
   * same idempotency key. A transport may leave that to its caller. @defaultValue every body is
   */
  readonly isReadable?: (body: Uint8Array) => boolean;
  /** Error statuses that are thrown at once, as another try does not mend them. A transport may retry them all the same. */
  readonly finalStatuses?: readonly number[];
  /** Aborts the call at once, in flight or between tries. */
  readonly signal?: AbortSignal;
  /**
   * Aborts the call as soon as no try of it is under way, for requests whose arrival must not be in doubt: one that has begun to
   * leave goes on to its end and is not repeated; before that, and in pauses, the call ends at once. A transport that does not
   * know this goes on.
   */
  readonly stopSignal?: AbortSignal;
  /** Limit of the whole call, tries and pauses included, in milliseconds. @defaultValue none; each try has its own */
  readonly timeoutMs?: number;
  /** Neither its tries nor the pauses between them keep a process alive, as far as a transport can tell. @defaultValue false */
  readonly isBackground?: boolean;
  /** Told of a try that failed and is followed by another, for who wants to hear of nothing else. A transport may leave it alone. */
  readonly onRepeat?: (repeat: RepeatedTry) => void;
  /** Hears of the call's tries. A transport may leave it alone. @defaultValue nobody */
  readonly observer?: CallObserver;
}

/** A try that failed and is followed by another. */
export interface RepeatedTry {
  /** The call, so that one listener can serve all of them. */
  readonly call: Pick<TransportCall, "operation" | "headers"> & { readonly body?: unknown };
  /** From 1. */
  readonly attempt: number;
  /** `undefined` when no answer came. */
  readonly status: number | undefined;
  /** Words for what came in place of a good answer, such as `ECONNREFUSED`. A transport may leave it out. */
  readonly outcome?: string;
  /** Since the begin of the call, pauses included, in milliseconds. */
  readonly elapsedMs: number;
}

/** One try of a call. */
export interface CallTry {
  /** HTTP method. */
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  /** Bytes of the body. */
  readonly byteLength: number;
}

/** End of a try. */
export interface CallTryEnd {
  /** `undefined` when no answer came. */
  readonly status: number | undefined;
  /** `answered 200`, `ECONNRESET`, … or the code of the error that ended the call meanwhile, such as `aborted`. */
  readonly outcome: string;
  /** Bytes of the answer's body. */
  readonly answerByteLength: number;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
}

/** Observer of one call. It throws nothing, and is told of no header and no body. It may add headers to a try, for a tracer. */
export interface CallObserver {
  /**
   * Runs one try, within an asynchronous context of the observer's if it wants one.
   *
   * @param send - sends the request, with `headers` added that it does not have yet, such as `traceparent`; those that no request
   *   may carry are left out
   * @returns what `send` returns, once `ended` was told of the end of the try
   */
  aroundTry<T>(
    attempt: CallTry,
    send: (headers?: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T>;
  /** Told of the end of a try, before `send` settles. */
  ended(attempt: CallTry, end: CallTryEnd): void;
  /** Told that the call goes out again after `delayMs`. */
  retrying(attempts: number, outcome: string, delayMs: number): void;
  /** Told that the call waits, as the service has asked for quiet. */
  pausing(delayMs: number): void;
}

/** The answer of a {@link TransportCall}, its body read whole. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; a header sent more than once is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Number of times the request was sent, the successful try included. */
  readonly attempts: number;
}

/** Transport of calls to the service: the client needs no more of HTTP than this. */
export interface HttpTransport {
  /**
   * Resolves with the answer of a success status, or of one in `returnStatuses`.
   *
   * @throws ApiStatusError, ConnectionError, TimeoutError, AbortedError, ClosedError
   */
  call(call: TransportCall): Promise<TransportResponse>;
  /** Ends every call with `ClosedError` and lets all sockets go. May be called twice. */
  close(): Promise<void>;
}
