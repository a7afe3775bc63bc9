import { ENDPOINTS, type EndpointName, type OperationName } from "@tinkex/types";
import type { FastifyRequest } from "fastify";
import { endpointOf } from "../server/endpoint-of.js";
import { ProtobufBody } from "../server/parse-bodies.js";
import { readRequest } from "../server/request-readers.js";
import type { LoggedRequest } from "./logged-request.js";

const API_PREFIX = "/api/v1";

/** Tells what of a request is known before its body is there. */
export function describeHead(
  { method, url }: FastifyRequest,
  receivedAtMs: number,
): Omit<LoggedRequest, "number"> {
  const [path = ""] = url.split("?", 1);
  const isOfApi = path.startsWith(`${API_PREFIX}/`);
  return {
    endpoint: isOfApi ? endpointOf(method, path.slice(API_PREFIX.length)) : undefined,
    method,
    path,
    ...idsOf({}),
    operation: undefined,
    body: undefined,
    status: undefined,
    receivedAtMs,
    answeredAtMs: undefined,
    fault: undefined,
  };
}

/** Tells what of a request is known once its body was read. */
export function describeBody(
  endpoint: EndpointName | undefined,
  { body: sent, params }: Pick<FastifyRequest, "body" | "params">,
): Pick<LoggedRequest, keyof Ids | "body"> {
  const body = sent instanceof ProtobufBody ? readRecord(endpoint, sent) : sent;
  return { body, ...idsOf({ ...fieldsOf(params), ...fieldsOf(body) }) };
}

export function isOperation(endpoint: EndpointName | undefined): endpoint is OperationName {
  return endpoint !== undefined && "future" in ENDPOINTS[endpoint];
}

/** Record of a protobuf body; absent where it cannot be read, which its route will say. */
function readRecord(endpoint: EndpointName | undefined, body: ProtobufBody): unknown {
  if (endpoint === undefined) return undefined;
  try {
    return readRequest(endpoint, body);
  } catch {
    return undefined;
  }
}

export type Fields = Readonly<Record<string, unknown>>;
type Ids = Pick<LoggedRequest, "sessionId" | "modelId" | "samplerId" | "sequenceId" | "requestId">;

function idsOf(fields: Fields): Ids {
  const target = fieldsOf(fields.target);
  const modelId = textOf(fields.model_id) ?? textOf(fields.run);
  const samplerId =
    textOf(fields.sampling_session_id) ?? textOf(target.sampling_session_id) ?? textOf(fields.sampler);
  return {
    // Ids of models and samplers begin with that of their session.
    sessionId:
      textOf(fields.session_id) ??
      textOf(fields.session) ??
      ownerOf(modelId, ":train:") ??
      ownerOf(samplerId, ":sample:"),
    modelId,
    samplerId,
    sequenceId: typeof fields.seq_id === "number" ? fields.seq_id : undefined,
    requestId: textOf(fields.request_id),
  };
}

function ownerOf(id: string | undefined, separator: string): string | undefined {
  const end = id?.indexOf(separator) ?? -1;
  return end > 0 ? id?.slice(0, end) : undefined;
}

/** The fields of what should be a record; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
