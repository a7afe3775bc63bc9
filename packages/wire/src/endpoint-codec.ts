import { ENDPOINTS, type Endpoint, type EndpointName, type RequestOf, type ResponseOf } from "@tinkex/types";
import type { EncodedBody } from "./encoded-body.js";
import { decodeJsonRequest, decodeJsonResponse } from "./json/decode-json.js";
import { encodeJsonRequest, encodeJsonResponse, type RequestEncoding } from "./json/encode-json.js";
import type { RequestName } from "./json/request-records.js";

/** The endpoints that take a record as their body. */
type EndpointWithBody = {
  [Name in EndpointName]: RequestOf<Name> extends undefined ? never : Name;
}[EndpointName];

/** The endpoints whose answer is a record. */
type EndpointWithAnswer = {
  [Name in EndpointName]: ResponseOf<Name> extends undefined ? never : Name;
}[EndpointName];

/** Whether an endpoint takes a record as its body. */
export function hasBody(name: EndpointName): name is EndpointWithBody {
  return "request" in ENDPOINTS[name];
}

/** Whether the answer of an endpoint is a record. */
export function hasRecordAnswer(name: EndpointName): name is EndpointWithAnswer {
  return "response" in ENDPOINTS[name];
}

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
 * Reads the JSON body of a request, as a server does: from any generation of client, with defaults filled in.
 *
 * @throws DecodeError when the body is not JSON; ResponseError when the record is not valid
 */
export function decodeRequest<Name extends EndpointWithBody>(name: Name, body: Uint8Array): RequestOf<Name> {
  return decodeJsonRequest(requestNameOf(name), body) as RequestOf<Name>;
}

/** Writes the JSON body of an endpoint's answer, as a server does. */
export function encodeResponse<Name extends EndpointWithAnswer>(
  name: Name,
  record: ResponseOf<Name>,
): EncodedBody {
  return encodeJsonResponse(responseNameOf(name), record as never);
}

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

function requestNameOf(name: EndpointName) {
  const { request }: Endpoint = ENDPOINTS[name];
  if (request === undefined) throw new Error(`${name} takes no body`);
  // Every record that a row of the table names as a request has its table of fields.
  return request as RequestName;
}

function responseNameOf(name: EndpointName) {
  const { response }: Endpoint = ENDPOINTS[name];
  if (response === undefined) throw new Error(`${name} answers without a record`);
  return response;
}
