import * as zlib from "node:zlib";
import {
  ApiStatusError,
  ClosedError,
  ConnectionError,
  RequestFailedError,
  ResponseError,
  UnsupportedByServerError,
  ValidationError,
} from "@tinkex/types";
import { decodeForwardBackwardRequest } from "@tinkex/wire";
import { SamplingClient } from "../sampling/sampling-client.js";
import { LossHandle } from "../training/loss-graph/loss-handle.js";
import { TrainingClient } from "../training/training-client.js";
import type { Outcome } from "./player.js";
import type { Exchange, RecordedError, Step } from "./recording.js";

/** A request in a form in which ours and a recorded one can be compared. */
export interface Sent {
  /** Method and path below `/api/v1/`, with the query in the order of names. */
  readonly request: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A request as it arrived, or as it was recorded. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Headers that servers act on, and that are the same for every run. */
const HEADERS = [
  "content-type",
  "x-tinker-request-type",
  "x-tinker-request-iteration",
  "x-tinker-sampling-backpressure",
  "x-stainless-retry-count",
  "x-extra",
  "x-sdk-method",
  "cf-access-client-id",
];

/** Brings a recorded request into the form in which requests are compared. */
export function recordedSent({ request }: Exchange): Sent {
  const { body_decoded_base64, body_base64, body_text = "" } = request;
  const base64 = body_decoded_base64 ?? body_base64;
  const body = base64 === undefined ? Buffer.from(body_text) : Buffer.from(base64, "base64");
  const { "content-encoding": _, ...headers } = request.headers;
  const { "x-sdk-method": __, ...others } = headers;
  const isNamed = request.method !== "GET" && !request.path.endsWith("/auth/token");
  return sentOf({ ...request, headers: isNamed ? headers : others, body });
}

/** Brings a request into a form that can be compared. */
export function sentOf({ method, path, query, headers, body }: RawRequest): Sent {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  const asked = parameters.size === 0 ? "" : `?${parameters}`;
  const below = path.replace("/api/v1/", "/").replace(/^\//, "");
  const kept = HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  );
  return {
    request: `${method} ${below}${asked}`,
    headers: { ...Object.fromEntries(kept), key: keyOf(headers) },
    body: bodyOf(below, unpacked(body, headers), headers["content-type"]),
  };
}

/** Unpacks a body. Where this Node has no zstd, none of ours is packed. */
function unpacked(body: Buffer, headers: RawRequest["headers"]): Buffer {
  if (headers["content-encoding"] !== "zstd") return body;
  // Types of Node 20 do not know it.
  const unpack = (zlib as { readonly zstdDecompressSync?: (packed: Buffer) => Buffer }).zstdDecompressSync;
  if (unpack === undefined) throw new Error("zstd came from a Node that has none");
  return unpack(body);
}

/** Names the kind of credential: the key, or a short-lived token. */
function keyOf(headers: RawRequest["headers"]): string {
  const key = String(headers["x-api-key"] ?? "none");
  return key === "<jwt>" || key.split(".").length === 3 ? "jwt" : key === "none" ? key : "key";
}

function bodyOf(path: string, bytes: Buffer, contentType: unknown): unknown {
  if (bytes.length === 0) return undefined;
  if (contentType === "application/x-protobuf") return protobufBody(bytes);
  const text = bytes.toString("utf8").replace(/([:,[] ?)(-?\d{16,})(?=[,\]}])/g, '$1"$2"');
  const body = plain(JSON.parse(text));
  const isVersioned = ["create_session", "client/config", "client/dynamic_config"].some((end) =>
    path.endsWith(end),
  );
  return isVersioned ? { ...(body as object), sdk_version: "any" } : body;
}

function protobufBody(bytes: Buffer): unknown {
  try {
    return plain(decodeForwardBackwardRequest("application/x-protobuf", bytes));
  } catch {
    // The official SDK sends losses that nobody knows.
    return `${bytes.length} bytes`;
  }
}

/** Gives a value without nulls, which mean "absent", with typed arrays as lists, and with fields in the order of their names. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array | BigInt64Array, plain);
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : plain(item)));
  if (typeof value === "number") return rounded(value);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept.map(([name, field]) => [name, plain(field)]));
}

/** Rounds fractions to the digits that all arithmetic of 32 bits has in common. JSON has one zero. */
function rounded(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value + 0 : Number(value.toPrecision(6));
}

/** The end of a step for the official SDK: what it returned, or a few words on its error, which are equal where the ends are. */
export function theirEnd(step: Step): unknown {
  if (typeof step.result === "object" && step.result !== null && "$object" in step.result) {
    // Clients that only begin something when they are used.
    if (["ServiceClient", "RestClient", "AdminClient"].includes(String(step.result.$object))) return null;
  }
  return step.error === undefined ? resultOf(step.result) : theirError(step.error);
}

/** The end of a step for our client, in the same form. */
export function ourEnd({ result, error }: Outcome, step: Step): unknown {
  if (error !== undefined) return ourError(error);
  const end = resultOf(result);
  const isShortened = step.note?.startsWith("result shortened") === true;
  if (!isShortened || typeof end !== "object" || end === null || !("loss_fn_outputs" in end)) return end;
  const { loss_fn_outputs: outputs, ...others } = end;
  return Array.isArray(outputs)
    ? { ...others, count: outputs.length, first: outputs[0], last: outputs.at(-1) }
    : end;
}

function resultOf(result: unknown): unknown {
  if (result instanceof TrainingClient) return { $object: "TrainingClient" };
  if (result instanceof SamplingClient) return { $object: "SamplingClient" };
  if (result instanceof LossHandle) {
    const { name, inputs, sessionId: session_id, lossId: loss_id } = result;
    return plain({ name, inputs, session_id, loss_id });
  }
  return withoutNews(withExactMetrics(plain(result ?? null)));
}

/** Puts the exact integers of metrics, which we give beside the doubles, in the place where the official SDK has them. */
function withExactMetrics(result: unknown): unknown {
  if (typeof result !== "object" || result === null || !("exact_metrics" in result)) return result;
  const { exact_metrics, ...others } = result;
  const metrics = "metrics" in others ? others.metrics : {};
  return { ...others, metrics: { ...(metrics as object), ...(exact_metrics as object) } };
}

/** Fields of results that only one side has, and `type` tags, which come and go between versions. */
const NEWS = [
  "type",
  "optimizer_config",
  "max_context_length",
  "trainable",
  "sampleable",
  "prompt_cache_hit_tokens",
];

function withoutNews(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNews);
  if (typeof value === "number") return rounded(value);
  // SDK 0.4.1 left the revision behind a tokenizer's name; later ones cut it off.
  if (typeof value === "string") return value.replace(/:rev1$/, "").replace("+00:00", "Z");
  if (typeof value !== "object" || value === null) return value;
  if ("$datetime" in value) return withoutNews(value.$datetime);
  if ("$int" in value) return value.$int;
  if ("$float" in value) return Number(value.$float);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NEWS.includes(name))
      .map(([name, field]) => [name, withoutNews(field)]),
  );
}

/** Local refusals of theirs: bare Python errors, which all mean that nothing was sent or kept. */
const LOCAL = ["ValueError", "TypeError", "KeyError", "ValidationError", "RuntimeError"];

function theirError({ class: name, message, status_code, category }: RecordedError): string {
  if (name === "RequestFailedError") return `failed: ${category}`;
  if (name === "APIConnectionError") return "no connection";
  if (message.endsWith("is closed")) return "closed";
  if (name === "APIResponseValidationError" || name === "JSONDecodeError") return "unreadable";
  const status = status_code ?? Number(/Error code: (\d+)/.exec(message)?.[1]);
  if (Number.isInteger(status)) return `status ${status}`;
  return LOCAL.includes(name) ? "refused here" : name;
}

function ourError(error: unknown): string {
  if (error instanceof RequestFailedError) return `failed: ${error.category}`;
  if (error instanceof ApiStatusError) return `status ${error.status}`;
  if (error instanceof UnsupportedByServerError) return "unsupported";
  if (error instanceof ConnectionError) return "no connection";
  if (error instanceof ResponseError) return "unreadable";
  if (error instanceof ValidationError) return "refused here";
  if (error instanceof ClosedError) return "closed";
  return error instanceof Error ? error.name : "not an error";
}
