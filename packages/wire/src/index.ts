export { BodyMemory } from "./body-memory.js";
export { DecodeError, type DecodePlace } from "./decode-error.js";
export { encodeQuery, type QueryValue } from "./encode-query.js";
export { type EncodedBody, JSON_TYPE, namesProtobuf, PROTOBUF_TYPE } from "./encoded-body.js";
export {
  acceptFor,
  decodeFutureResult,
  type FutureAnswer,
  type FutureResultName,
  hasProtobufForm,
} from "./future/decode-future.js";
export {
  encodeForwardBackwardOutput,
  encodeFutureOutcome,
  encodeSampleResponse,
} from "./future/encode-future.js";
export { decodeJsonRequest, decodeJsonResponse } from "./json/decode-json.js";
export { encodeJsonRequest, encodeJsonResponse } from "./json/encode-json.js";
export { parseJson } from "./json/parse-json.js";
export type { RequestName, RequestOf, RequestRecords } from "./json/request-records.js";
export type { ResponseName, ResponseOf, ResponseRecords } from "./json/response-records.js";
export type { Generation } from "./json/sent-record.js";
export { writeJson } from "./json/write-json.js";
export { decodeForwardBackwardRequest } from "./training/decode-forward-backward.js";
export {
  encodeForwardBackwardRequest,
  type ForwardBackwardEncoding,
} from "./training/encode-forward-backward.js";
export { readForwardBackward } from "./training/read-forward-backward.js";
