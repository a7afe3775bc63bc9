import { checkNumberList, checkObject, describeValue, MAX_JSON_DEPTH, ValidationError } from "@tinkex/base";
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
  // The table's row says which record the endpoint takes; the compiler cannot follow a name through it.
  return encodeJsonRequest(requestNameOf(name), record as never, options);
}

/**
 * Writes the JSON body of a request by the name of its record.
 *
 * @throws ValidationError when the record is not valid; nothing must be sent then
 */
export function encodeJsonRequest<Name extends RequestName>(
  name: Name,
  record: Records[Name],
  options: RequestEncoding,
): EncodedBody {
  const table = requestRecordOf(name);
  if (typeof options !== "object" || options === null)
    checkObject(options, "options", '{ generation: "0.38" }');
  const { generation, unchecked = false, isChecked = false, what = name } = options;
  if (!unchecked && !isChecked) checkSent<Records[Name]>(table.schema, record, what);
  return jsonBody(fieldsToSend(record, table, generation, unchecked), what);
}

/** Writes the JSON body of an endpoint's answer, as a server does. */
export function encodeResponse<Name extends EndpointWithAnswer>(
  name: Name,
  record: ResponseOf<Name>,
): EncodedBody {
  return encodeJsonResponse(responseNameOf(name), record as never);
}

/**
 * Writes the JSON body of an answer, as a server does. NaN and infinities, which JSON does not have, are written as the strings
 * `"NaN"`, `"Infinity"` and `"-Infinity"`: the official SDKs read those as numbers, but not null.
 */
export function encodeJsonResponse<Name extends RecordName>(name: Name, record: Records[Name]): EncodedBody {
  return jsonBody(nonFiniteToStrings(record, 0), name);
}

/** Finds the record that an endpoint takes. @throws ValidationError for a name that no endpoint has, or one without a body */
export function requestNameOf(endpoint: EndpointName): RequestName {
  const row: Endpoint | undefined = typeof endpoint === "string" ? ENDPOINTS[endpoint] : undefined;
  // Every record that a row of the table names as a request has its table of fields.
  return (row?.request as RequestName | undefined) ?? refuse("endpoint with a body", endpoint);
}

/** Finds the record that an endpoint answers with. @throws ValidationError for a name that no endpoint has, or one without */
export function responseNameOf(endpoint: EndpointName): RecordName {
  const row: Endpoint | undefined = typeof endpoint === "string" ? ENDPOINTS[endpoint] : undefined;
  return row?.response ?? refuse("endpoint with an answer", endpoint);
}

/** Finds the table of fields of a request. @throws ValidationError for a record that is no request's */
export function requestRecordOf<Name extends RequestName>(name: Name): (typeof requestRecords)[Name] {
  const isKnown = typeof name === "string" && Object.hasOwn(requestRecords, name);
  return isKnown ? requestRecords[name] : refuse("request", name);
}

function refuse(what: string, name: unknown): never {
  throw new ValidationError(
    `there is no ${what} ${describeValue(name)}; ENDPOINTS of @tinkex/types has the names`,
    {
      path: ["name"],
    },
  );
}

/** Copies `value` with a string in place of every number that JSON cannot hold. */
function nonFiniteToStrings(value: unknown, depth: number): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  // The writer says what is wrong with a value that has no end.
  if (typeof value !== "object" || value === null || depth > MAX_JSON_DEPTH) return value;
  const inner = (member: unknown) => nonFiniteToStrings(member, depth + 1);
  if (value instanceof Float32Array) {
    checkNumberList(value, "a tensor's data");
    return value.every(Number.isFinite) ? value : Array.from(value, inner);
  }
  if (Array.isArray(value)) return value.every(Number.isFinite) ? value : value.map(inner);
  if (ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inner(member)]));
}
