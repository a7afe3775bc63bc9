import { ENDPOINTS, type Endpoint, type EndpointName, type Endpoints } from "@tinkex/types";
import type { RequestName } from "@tinkex/wire";
import type * as z from "zod";
import { createCustomLossBody } from "../requests/loss-bodies.js";
import {
  copyWeightsBody,
  createModelBody,
  getInfoBody,
  loadWeightsBody,
  optimStepBody,
  saveWeightsBody,
  saveWeightsExternalBody,
  saveWeightsForSamplerBody,
  unloadModelBody,
} from "../requests/model-bodies.js";
import { readBody } from "../requests/request-body.js";
import { sampleBody } from "../requests/sample-body.js";
import {
  cancelFutureBody,
  createSamplingSessionBody,
  createSessionBody,
  finishSessionBody,
  heartbeatBody,
  joinSamplingSessionBody,
  retrieveFutureBody,
  retrieveFuturesBody,
  setCheckpointTtlBody,
  setSessionProjectBody,
  weightsInfoBody,
} from "../requests/session-bodies.js";
import { sessionSearchBody } from "../requests/session-search-body.js";
import { readForwardBackwardBody, readForwardBody } from "./read-pass-body.js";

function jsonReader<T>(schema: z.ZodType<T>) {
  return (body: unknown): T => readBody(schema, body);
}

/** Readers of the bodies of requests, by the record that the table of endpoints names. A record without one is discarded. */
const REQUEST_READERS = {
  CreateSessionRequest: jsonReader(createSessionBody),
  SessionHeartbeatRequest: jsonReader(heartbeatBody),
  FinishSessionRequest: jsonReader(finishSessionBody),
  CreateSamplingSessionRequest: jsonReader(createSamplingSessionBody),
  CreateCustomLossRequest: jsonReader(createCustomLossBody),
  JoinSamplingSessionRequest: jsonReader(joinSamplingSessionBody),
  CreateModelRequest: jsonReader(createModelBody),
  GetInfoRequest: jsonReader(getInfoBody),
  UnloadModelRequest: jsonReader(unloadModelBody),
  ForwardBackwardRequest: readForwardBackwardBody,
  ForwardRequest: readForwardBody,
  OptimStepRequest: jsonReader(optimStepBody),
  LoadWeightsRequest: jsonReader(loadWeightsBody),
  SaveWeightsRequest: jsonReader(saveWeightsBody),
  SaveWeightsForSamplerRequest: jsonReader(saveWeightsForSamplerBody),
  SaveWeightsExternalRequest: jsonReader(saveWeightsExternalBody),
  CancelFutureRequest: jsonReader(cancelFutureBody),
  FuturesRetrieveRequest: jsonReader(retrieveFuturesBody),
  CopyWeightsRequest: jsonReader(copyWeightsBody),
  SetCheckpointTtlRequest: jsonReader(setCheckpointTtlBody),
  WeightsInfoRequest: jsonReader(weightsInfoBody),
  SessionSearchRequest: jsonReader(sessionSearchBody),
  SetSessionProjectRequest: jsonReader(setSessionProjectBody),
  SampleRequest: jsonReader(sampleBody),
  FutureRetrieveRequest: jsonReader(retrieveFutureBody),
} as const satisfies { readonly [Name in RequestName]?: (body: unknown) => unknown };

/** The request of an endpoint as this server reads it; undefined where it reads none. */
export type ReadRequest<Name extends EndpointName> = Endpoints[Name] extends {
  readonly request: infer Request extends keyof typeof REQUEST_READERS;
}
  ? ReturnType<(typeof REQUEST_READERS)[Request]>
  : undefined;

/**
 * Reads the body of a request by the record of its endpoint.
 *
 * @param body - parsed JSON, or a `ProtobufBody`
 * @throws RequestRefusal 422 that names the fields at fault; DecodeError for a protobuf body that cannot be read
 */
export function readRequest<Name extends EndpointName>(name: Name, body: unknown): ReadRequest<Name> {
  const { request }: Endpoint = ENDPOINTS[name];
  const readers: Readonly<Partial<Record<string, (body: unknown) => unknown>>> = REQUEST_READERS;
  // The compiler cannot follow a name through both tables; `ReadRequest` goes the same way.
  return (request === undefined ? undefined : readers[request]?.(body)) as ReadRequest<Name>;
}
