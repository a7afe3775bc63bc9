import { describeValue, ValidationError } from "@tinkex/base";
import type { RequestBody } from "../body/streamed-body.js";
import type { Operation } from "../operations/operations.js";
import type { PoolName, TryTimeouts } from "../operations/policy.js";
import type { TinkexCall } from "../tinkex-transport.js";
import { type HeaderList, headerOf, isHeader, setGivenHeaders, setHeader } from "./header-list.js";

/** One request as it goes out. */
export interface WireRequest {
  readonly pool: PoolName;
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: RequestBody | undefined;
  readonly timeouts: TryTimeouts;
  /** Most bytes of a successful answer, packed and unpacked. */
  readonly maxAnswerBytes: number;
  /** It keeps no process alive. */
  readonly isBackground?: boolean | undefined;
}

/** Parts of a request that are the same for all calls of a transport. */
export interface RequestDefaults {
  readonly origin: string;
  /** Path of the base URL, without a slash at its end. */
  readonly pathPrefix: string;
  readonly headers: HeaderList;
  readonly newIdempotencyKey: () => string;
}

/** Builds the request of a call, once for all its tries. */
export function wireRequest(
  operation: Operation,
  call: TinkexCall,
  { origin, pathPrefix, headers, newIdempotencyKey }: RequestDefaults,
): WireRequest {
  return {
    pool: operation.pool,
    method: operation.method,
    origin,
    path: pathPrefix + requestPath(operation, call),
    headers: callHeaders(headers, operation, call, newIdempotencyKey),
    body: call.body,
    timeouts: operation.timeouts,
    maxAnswerBytes: operation.maxAnswerBytes,
    isBackground: call.isBackground,
  };
}

/** Fills an operation's path and appends the query: `/api/v1/training_runs/r%201?limit=20`. */
export function requestPath(operation: Operation, call: TinkexCall): string {
  const path = operation.path.includes("{")
    ? operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        pathSegment(call.operation, name, call.pathParameters?.[name]),
      )
    : operation.path;
  const query = call.query === undefined ? "" : queryString(call.query);
  return query === "" ? path : `${path}?${query}`;
}

/** Escapes one segment. A value that would leave the segment, or is empty, is refused. */
function pathSegment(operation: string, name: string, value: string | undefined): string {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new ValidationError(`${operation}: ${name} must be a name, got ${describeValue(value)}`, {
      path: ["pathParameters", name],
    });
  }
  try {
    // Ids of models and samplers have colons, which a path may hold and the official SDKs send as they are.
    return encodeURIComponent(value).replaceAll("%3A", ":");
  } catch (cause) {
    throw new ValidationError(
      `${operation}: ${name} must be a well-formed string, got one with half of a surrogate pair`,
      {
        path: ["pathParameters", name],
        cause,
      },
    );
  }
}

/** Leaves out `undefined` and empty strings, as the API's own clients do. */
function queryString(query: NonNullable<TinkexCall["query"]>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.append(name, String(value));
  }
  return parameters.toString();
}

/** Headers of one call's first try: the transport's, those of the operation, and on top what the caller gave. */
function callHeaders(
  defaults: HeaderList,
  operation: Operation,
  call: TinkexCall,
  newIdempotencyKey: () => string,
): HeaderList {
  const headers = defaults.slice();
  const { totalMs, headersMs } = operation.timeouts;
  if (call.accept !== undefined) setHeader(headers, "accept", call.accept);
  if (call.body instanceof Uint8Array) {
    setHeader(headers, "content-type", call.contentType ?? "application/json");
  } else if (call.body !== undefined) {
    setHeader(headers, "content-type", call.body.contentType);
    setHeader(headers, "content-length", String(call.body.byteLength));
  }
  setHeader(headers, RETRY_COUNT, "0");
  setHeader(headers, "x-stainless-read-timeout", String((totalMs ?? headersMs) / 1000));
  setGivenHeaders(headers, call.headers);
  const isKeyGiven = call.headers?.["x-idempotency-key"] !== undefined;
  if (operation.idempotent === "key" && !isKeyGiven && headerOf(headers, "x-idempotency-key") === undefined) {
    headers.push("x-idempotency-key", newIdempotencyKey());
  }
  return headers;
}

const RETRY_COUNT = "x-stainless-retry-count";

/** Tells the server which repeat it sees, unless the caller has set that header. */
export function withRetryCount(request: WireRequest, call: TinkexCall, retries: number): WireRequest {
  return hasGivenHeader(call, RETRY_COUNT) ? request : withHeader(request, RETRY_COUNT, String(retries));
}

/** A copy of the request with one header more, or another value of it. */
export function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  const headers = request.headers.slice();
  setHeader(headers, name, value);
  return { ...request, headers };
}

/** A copy of the request with headers that it does not have yet; those that no request may carry are left out. */
export function withMissingHeaders(
  request: WireRequest,
  added: Readonly<Record<string, string>> | undefined,
): WireRequest {
  if (added === undefined) return request;
  const headers = request.headers.slice();
  for (const [anyCase, value] of Object.entries(added)) {
    const name = anyCase.toLowerCase();
    if (isHeader(name, value) && headerOf(headers, name) === undefined) headers.push(name, value);
  }
  return { ...request, headers };
}

/** Tells whether the caller of a call gave a header of this lower-case name. */
export function hasGivenHeader({ headers }: TinkexCall, name: string): boolean {
  return headers !== undefined && Object.keys(headers).some((given) => given.toLowerCase() === name);
}
