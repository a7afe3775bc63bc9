import { ENDPOINTS, type Endpoint, matchEndpoint, type RecordName } from "@tinkex/types";
import type { FutureResultName } from "../future/decode-future.js";
import { isRequestName, type RequestName } from "../json/request-records.js";

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
}

function endpointOf({ method, path }: RecordedRequest): Endpoint | undefined {
  const match = matchEndpoint(method, path.split("?")[0] ?? "");
  return match === undefined ? undefined : ENDPOINTS[match.name];
}

/** Names the record that the JSON body of a recorded request is. */
export function requestNameOf(request: RecordedRequest): RequestName | undefined {
  const name = endpointOf(request)?.request;
  return name !== undefined && isRequestName(name) ? name : undefined;
}

/** Names the record that answers a recorded request; undefined where the answer's body has no meaning. */
export function responseNameOf(request: RecordedRequest): RecordName | undefined {
  return endpointOf(request)?.response;
}

const resultNames: ReadonlyMap<string, FutureResultName> = new Map(
  Object.values(ENDPOINTS).flatMap((endpoint) =>
    "future" in endpoint ? [[endpoint.future.requestType, endpoint.future.result] as const] : [],
  ),
);

/** Names the record that a poll waits for, by its `x-tinker-request-type`. */
export function resultNameOf(requestType: string): FutureResultName | undefined {
  return resultNames.get(requestType);
}
