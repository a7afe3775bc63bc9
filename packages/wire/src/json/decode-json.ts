import { checkBytes, jsonTextFault } from "@tinkex/base";
import {
  checkReceived,
  checkRequest,
  type RecordName,
  type Records,
  type RequestOf,
  type ResponseOf,
  schemaOf,
  type UntypedAPIFuture,
} from "@tinkex/types";
import { DecodeError } from "../decode-error.js";
import {
  type EndpointWithAnswer,
  type EndpointWithBody,
  requestNameOf,
  requestRecordOf,
  responseNameOf,
} from "./encode-json.js";
import { type ExactJsonOptions, parseExactJson } from "./parse-exact-json.js";
import type { RequestName } from "./request-records.js";

/**
 * Reads the JSON answer of an endpoint. Unknown fields are kept, null reads as absent, unknown enum values pass.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when a required field is missing or of another type
 */
export function decodeResponse<Name extends EndpointWithAnswer>(
  name: Name,
  body: Uint8Array,
): ResponseOf<Name> {
  return decodeJsonResponse(responseNameOf(name), body) as ResponseOf<Name>;
}

/** Tells whether a value is certainly a ticket; about others the schema decides. */
function isTicket(value: unknown): value is UntypedAPIFuture {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { request_id: id, model_id: modelId, sample_sequence_ids: ids } = value as Partial<UntypedAPIFuture>;
  if (typeof id !== "string" || (modelId !== undefined && typeof modelId !== "string")) return false;
  return ids === undefined || (Array.isArray(ids) && ids.every((each) => typeof each === "string"));
}

/**
 * Reads a JSON answer by the name of its record, as {@link decodeResponse} does.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when a required field is missing or of another type
 */
export function decodeJsonResponse<Name extends RecordName>(name: Name, body: Uint8Array): Records[Name] {
  const parsed = parseJson(body, name);
  // The answer to every submission, on which the schema would take longer than all else.
  if (name === "UntypedAPIFuture" && isTicket(parsed)) return parsed as Records[Name];
  return checkReceived(schemaOf(name), parsed, name);
}

/**
 * Reads the JSON body of a request, as a server does: from any generation of client, with defaults filled in.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when the record is not valid
 */
export function decodeRequest<Name extends EndpointWithBody>(name: Name, body: Uint8Array): RequestOf<Name> {
  // The row of the table says which record the name's request is, which the compiler cannot follow.
  return decodeJsonRequest(requestNameOf(name), body) as RequestOf<Name>;
}

/**
 * Reads the JSON body of a request by the name of its record, as {@link decodeRequest} does.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when the record is not valid
 */
export function decodeJsonRequest<Name extends RequestName>(name: Name, body: Uint8Array): Records[Name] {
  const record = requestRecordOf(name);
  const parsed = parseJson(body, name, { marksFloats: name === "CreateCustomLossRequest" });
  return checkRequest<Records[Name]>(record.schema, parsed, name);
}

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** An integer of 16 or more digits, which may be beyond 2⁵³. No more digits are looked at: a string may have millions. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16}/;

/** Longest JSON that is parsed, in bytes: parsing takes about a second for it, during which nothing else happens. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Parses a JSON body. Integers beyond 2⁵³ become bigints with all their digits; bare `NaN` and `Infinity`, which some
 * servers write, are accepted.
 *
 * @throws DecodeError, also for nesting that no record has, and for text that would take many times its memory
 */
export function parseJson(body: Uint8Array, messageType: string, options: ExactJsonOptions = {}): unknown {
  // Asked only about what is none: the answers of every call come this way.
  if (!(body instanceof Uint8Array)) checkBytes(body, "body");
  const place = { messageType, field: "", offset: -1 };
  if (body.byteLength > MAX_BYTES)
    throw new DecodeError(`${body.byteLength} bytes of JSON, of at most ${MAX_BYTES}`, place);
  let text: string;
  try {
    text = textDecoder.decode(body);
  } catch (cause) {
    throw new DecodeError("not UTF-8 text", { ...place, offset: 0 }, { cause });
  }
  const fault = jsonTextFault(text);
  if (fault !== undefined) throw new DecodeError(`not JSON: ${fault}`, place);
  if (options.marksFloats === true || LONG_INTEGER.test(text))
    return parseExactJson(text, messageType, options);
  try {
    return JSON.parse(text);
  } catch {
    // The slower parser knows the bare `NaN` and `Infinity`, and says where the fault is.
    return parseExactJson(text, messageType);
  }
}
