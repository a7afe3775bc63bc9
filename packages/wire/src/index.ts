export { BodyMemory } from "./body-memory.js";
export { DecodeError, type DecodePlace } from "./decode-error.js";
export { encodeQuery, type QueryValue } from "./encode-query.js";
export { type EncodedBody, JSON_TYPE, PROTOBUF_TYPE } from "./encoded-body.js";
export {
  acceptFor,
  decodeFutureResult,
  type FutureAnswer,
  type FutureResultName,
  hasProtobufForm,
  namesProtobuf,
} from "./future/decode-future.js";
export {
  encodeForwardBackwardOutput,
  encodeFutureOutcome,
  encodeSampleResponse,
} from "./future/encode-future.js";
export {
  decodeJsonRequest,
  decodeJsonResponse,
  decodeRequest,
  decodeResponse,
  parseJson,
} from "./json/decode-json.js";
export {
  type EndpointWithAnswer,
  type EndpointWithBody,
  encodeJsonRequest,
  encodeJsonResponse,
  encodeRequest,
  encodeResponse,
  type RequestEncoding,
} from "./json/encode-json.js";
export type { RequestName } from "./json/request-records.js";
export { writeJson } from "./json/write-json.js";
export { decodeForwardBackwardRequest } from "./training/decode-forward-backward.js";
export {
  encodeForwardBackwardRequest,
  type ForwardBackwardEncoding,
} from "./training/encode-forward-backward.js";
export { readForwardBackward } from "./training/read-forward-backward.js";
