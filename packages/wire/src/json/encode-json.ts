import { type ApiGeneration, checkSent, type RecordName, type Records } from "@tinkex/types";
import type { EncodedBody } from "../encoded-body.js";
import { fieldsToSend } from "./fields-to-send.js";
import { type RequestName, requestRecords } from "./request-records.js";
import { jsonBody } from "./write-json.js";

/** How a request is written. */
export interface RequestEncoding {
  /** The server's generation, which says the fields it knows. */
  readonly generation: ApiGeneration;
  /** Leave out the check, and write fields that the record does not have. @defaultValue false */
  readonly unchecked?: boolean | undefined;
}

/**
 * The JSON body of a request, with the fields that the server's generation knows.
 *
 * @throws ValidationError when the record is not valid; nothing must be sent then
 */
export function encodeJsonRequest<Name extends RequestName>(
  name: Name,
  record: Records[Name],
  { generation, unchecked = false }: RequestEncoding,
): EncodedBody {
  const table = requestRecords[name];
  if (!unchecked) checkSent<Records[Name]>(table.schema, record, name);
  return jsonBody(fieldsToSend(record, table, generation, unchecked), name);
}

/**
 * The JSON body of an answer, as a server gives it. NaN and infinities, which JSON does not have, are written as the words
 * `"NaN"`, `"Infinity"` and `"-Infinity"`: the official SDKs read those as numbers, but not null.
 */
export function encodeJsonResponse<Name extends RecordName>(name: Name, record: Records[Name]): EncodedBody {
  return jsonBody(withWords(record), name);
}

/** `value` with a word for every number that JSON cannot hold. */
function withWords(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Float32Array)
    return value.every(Number.isFinite) ? value : Array.from(value, withWords);
  if (Array.isArray(value)) return value.every(Number.isFinite) ? value : value.map(withWords);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withWords(member)]));
}
