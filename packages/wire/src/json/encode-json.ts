import {
  type ApiGeneration,
  checkSent,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  type RecordName,
  type Records,
  type RequestOf,
  type ResponseOf,
} from "@tinkex/types";
import type { EncodedBody } from "../encoded-body.js";
import { fieldsToSend } from "./fields-to-send.js";
import { type RequestName, requestRecords } from "./request-records.js";
import { jsonBody } from "./write-json.js";

/** Options of writing a request. */
export interface RequestEncoding {
  /** The server's generation, which says the fields it knows. */
  readonly generation: ApiGeneration;
  /** Leave out the check, and write fields that the record does not have. @defaultValue false */
  readonly unchecked?: boolean | undefined;
  /** Leave out the check, which the caller has made with the same schema. @defaultValue false */
  readonly isChecked?: boolean | undefined;
  /** Name of the record in messages. @defaultValue its own, e.g. `SampleRequest` */
  readonly what?: string | undefined;
}

/** The endpoints that take a record as their body. */
export type EndpointWithBody = {
  [Name in EndpointName]: RequestOf<Name> extends undefined ? never : Name;
}[EndpointName];

/** The endpoints whose answer is a record. */
export type EndpointWithAnswer = {
  [Name in EndpointName]: ResponseOf<Name> extends undefined ? never : Name;
}[EndpointName];

/**
 * Writes the JSON body of a request to an endpoint, with the fields that the server's generation knows.
 *
 * @throws ValidationError when the record is not valid; nothing must be sent then
 */
export function encodeRequest<Name extends EndpointWithBody>(
  name: Name,
  record: RequestOf<Name>,
  options: RequestEncoding,
): EncodedBody {
  const { request }: Endpoint = ENDPOINTS[name];
  if (request === undefined) throw new Error(`${name} takes no body`);
  // The table's row says which record the endpoint takes, and every such record has its table of fields; the compiler cannot
  // follow a name through either.
  return encodeJsonRequest(request as RequestName, record as never, options);
}

/**
 * Writes the JSON body of a request by the name of its record.
 *
 * @throws ValidationError when the record is not valid; nothing must be sent then
 */
export function encodeJsonRequest<Name extends RequestName>(
  name: Name,
  record: Records[Name],
  { generation, unchecked = false, isChecked = false, what = name }: RequestEncoding,
): EncodedBody {
  const table = requestRecords[name];
  if (!unchecked && !isChecked) checkSent<Records[Name]>(table.schema, record, what);
  return jsonBody(fieldsToSend(record, table, generation, unchecked), what);
}

/** Writes the JSON body of an endpoint's answer, as a server does. */
export function encodeResponse<Name extends EndpointWithAnswer>(
  name: Name,
  record: ResponseOf<Name>,
): EncodedBody {
  const { response }: Endpoint = ENDPOINTS[name];
  if (response === undefined) throw new Error(`${name} answers without a record`);
  return encodeJsonResponse(response, record as never);
}

/**
 * Writes the JSON body of an answer, as a server does. NaN and infinities, which JSON does not have, are written as the strings
 * `"NaN"`, `"Infinity"` and `"-Infinity"`: the official SDKs read those as numbers, but not null.
 */
export function encodeJsonResponse<Name extends RecordName>(name: Name, record: Records[Name]): EncodedBody {
  return jsonBody(nonFiniteToStrings(record), name);
}

/** Copies `value` with a string in place of every number that JSON cannot hold. */
function nonFiniteToStrings(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Float32Array)
    return value.every(Number.isFinite) ? value : Array.from(value, nonFiniteToStrings);
  if (Array.isArray(value)) return value.every(Number.isFinite) ? value : value.map(nonFiniteToStrings);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, nonFiniteToStrings(member)]));
}
