import { checkReceived, type RecordName, type Records, schemaOf } from "@tinkex/types";
import { fieldsReceived } from "./fields-received.js";
import { parseJson } from "./parse-json.js";
import { type RequestName, requestRecords } from "./request-records.js";

/**
 * The record in a JSON answer. Unknown fields are kept, null reads as absent, unknown enum values pass.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when a required field is missing or of another type
 */
export function decodeJsonResponse<Name extends RecordName>(name: Name, body: Uint8Array): Records[Name] {
  return readResponse(name, parseJson(body, name));
}

/** The same for a body that has been parsed. */
export function readResponse<Name extends RecordName>(name: Name, parsed: unknown): Records[Name] {
  return checkReceived(schemaOf(name), parsed, name);
}

/**
 * The record in a JSON request, as a server reads it: from any generation of client, with defaults filled in.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when the record is not valid
 */
export function decodeJsonRequest<Name extends RequestName>(name: Name, body: Uint8Array): Records[Name] {
  const record = requestRecords[name];
  const parsed = parseJson(body, name, { markFloats: name === "CreateCustomLossRequest" });
  const received = fieldsReceived(parsed, record);
  return checkReceived<Records[Name]>(record.schema, received, name);
}
