import { describeValue, parseRequestErrorCategory, ValidationError } from "@tinkex/base";
import {
  checkReceived,
  type Endpoints,
  type ForwardBackwardOutput,
  type FutureOutcome,
  type OperationName,
  type Records,
  type SampleResponse,
  schemaOf,
} from "@tinkex/types";
import { DecodeError } from "../decode-error.js";
import { JSON_TYPE, PROTOBUF_TYPE } from "../encoded-body.js";
import { parseJson } from "../json/decode-json.js";
import { readSampleResponse } from "../sampling/read-sample-response.js";
import { readForwardBackwardOutput } from "../training/read-forward-backward-output.js";

/** The records that a future can give. */
export type FutureResultName = Endpoints[OperationName]["future"]["result"];

/** The answer to a poll, its body read whole. */
export interface FutureAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Readers of the results that servers may give as protobuf, by the name of the record. */
const PROTOBUF_READERS: ReadonlyMap<string, (body: Uint8Array) => SampleResponse | ForwardBackwardOutput> =
  new Map<string, (body: Uint8Array) => SampleResponse | ForwardBackwardOutput>([
    ["SampleResponse", readSampleResponse],
    ["ForwardBackwardOutput", readForwardBackwardOutput],
  ]);

/** Tells whether a result may come as protobuf, so that asking for it is worth while. */
export function hasProtobufForm(name: FutureResultName): name is "SampleResponse" | "ForwardBackwardOutput" {
  return PROTOBUF_READERS.has(name);
}

const EITHER_TYPE = `${PROTOBUF_TYPE}, ${JSON_TYPE}`;

/** Makes the `Accept` header of a poll for this result. */
export function acceptFor(name: FutureResultName, wire: "protobuf" | "json"): string {
  return wire === "protobuf" && PROTOBUF_READERS.has(name) ? EITHER_TYPE : JSON_TYPE;
}

/** Tells whether a `Content-Type` or `Accept` header names protobuf; parameters and case do not matter. */
export function namesProtobuf(header: string | undefined): boolean {
  return typeof header === "string" && header.toLowerCase().includes(PROTOBUF_TYPE);
}

/**
 * Reads an answer to a poll: not yet, large (ask again), failed, or the result, in whichever form it came. Understands
 * success statuses and 408, which says "not yet" with the queue's state.
 *
 * @throws DecodeError when the bytes do not decode; ResponseError when the result lacks a required field
 */
export function decodeFutureResult<Name extends FutureResultName>(
  name: Name,
  answer: FutureAnswer,
): FutureOutcome<Records[Name]> {
  if (
    !(answer?.body instanceof Uint8Array) ||
    typeof answer.headers !== "object" ||
    answer.headers === null
  ) {
    throw invalidAnswer(answer);
  }
  if (answer.status === 408) return pendingOutcome(parseLeniently(answer.body));
  if (namesProtobuf(answer.headers["content-type"])) {
    const read = PROTOBUF_READERS.get(name);
    if (read === undefined)
      throw new DecodeError("has no protobuf form", { messageType: name, field: "", offset: -1 });
    // The reader of a name gives the record of that name, which the compiler cannot follow through the table.
    return { state: "complete", result: read(answer.body) as Records[Name] };
  }
  const parsed = parseJson(answer.body, name);
  if (isObject(parsed)) {
    if (parsed.type === "try_again") return pendingOutcome(parsed);
    if (parsed.status === "complete_metadata") {
      return { state: "metadata_only", response_payload_size: sizeOf(parsed.response_payload_size) };
    }
    if ("error" in parsed) return failedOutcome(parsed);
  }
  return { state: "complete", result: checkReceived(schemaOf(name), parsed, name) };
}

/** Makes the error of an answer that plain JavaScript put together otherwise. */
function invalidAnswer(answer: unknown): ValidationError {
  return new ValidationError(
    `answer must be an object { status, headers, body } whose body is a Uint8Array, got ${describeValue(answer)}`,
    { path: ["answer"] },
  );
}

function pendingOutcome(answer: Readonly<Record<string, unknown>>): FutureOutcome<never> {
  const { queue_state: queueState, queue_state_reason: reason, retry_after_ms: pauseMs } = answer;
  return {
    state: "pending",
    ...(typeof queueState === "string" ? { queue_state: queueState } : {}),
    ...(typeof reason === "string" ? { queue_state_reason: reason } : {}),
    ...(typeof pauseMs === "number" && pauseMs > 0 ? { retry_after_ms: pauseMs } : {}),
  };
}

function failedOutcome({ error, category }: Readonly<Record<string, unknown>>): FutureOutcome<never> {
  const known = parseRequestErrorCategory(category);
  return {
    state: "failed",
    error: typeof error === "string" ? error : textOf(error),
    category: known,
    ...(typeof category === "string" && category.toLowerCase() !== known ? { raw_category: category } : {}),
  };
}

/** Reads an announced size in bytes, as a number that one can calculate with: 0 for what is none, at most 2⁵³ - 1. */
function sizeOf(announced: unknown): number {
  if (typeof announced !== "number" && typeof announced !== "bigint") return 0;
  const bytes = Math.ceil(Number(announced));
  return bytes > 0 ? Math.min(bytes, Number.MAX_SAFE_INTEGER) : 0;
}

/**
 * Writes anything parsed from JSON as JSON again. NaN and long integers, which the parser knows, have no place in
 * `JSON.stringify`.
 */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" || typeof member === "number" ? String(member) : member,
  );
}

/** Parses a body that may be no JSON at all: proxies answer 408 too. */
function parseLeniently(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const parsed = parseJson(body, "TryAgainResponse");
    return isObject(parsed) ? parsed : {};
  } catch (error) {
    if (error instanceof DecodeError) return {};
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
