import { checkObject, describeValue, ValidationError } from "@tinkex/base";
import { ENDPOINTS, type Endpoint, type EndpointName } from "@tinkex/types/endpoints";
import { canSend, isRequestBody } from "../body/streamed-body.js";
import type { TinkexCall } from "../tinkex-transport.js";
import { POLICIES } from "./policies.js";
import type { Policy } from "./policy.js";

/** All that the transport knows about a kind of call: the endpoint's method and path, and its policy. */
export interface Operation extends Policy {
  readonly method: Endpoint["method"];
  /** Path below the base URL; `{name}` parts are filled from the call. */
  readonly path: string;
}

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** Every call of the API by name. */
export const OPERATIONS = Object.fromEntries(
  NAMES.map((name) => {
    const { method, path } = ENDPOINTS[name];
    return [name, { method, path: `/api/v1${path}`, ...POLICIES[name] }];
  }),
  // Made of every name, one entry each.
) as Readonly<Record<EndpointName, Operation>>;

/** The same table, where a name that comes from outside is looked for. */
const BY_NAME: ReadonlyMap<string, Operation> = new Map(Object.entries(OPERATIONS));

/**
 * Finds the row of a call's operation, after a look at what the call holds.
 *
 * @throws ValidationError
 */
export function checkCall(call: TinkexCall): Operation {
  if (typeof call !== "object" || call === null) checkObject(call, "call", '{ operation: "healthz" }');
  const operation = BY_NAME.get(call.operation);
  if (operation === undefined) {
    throw new ValidationError(
      `there is no operation ${describeValue(call.operation)}; there are ${Object.keys(OPERATIONS).join(", ")}`,
      { path: ["operation"] },
    );
  }
  if (call.timeoutMs !== undefined && !(typeof call.timeoutMs === "number" && call.timeoutMs > 0)) {
    fail(call, `timeoutMs must be a number above 0, got ${describeValue(call.timeoutMs)}`, "timeoutMs");
  }
  if (operation.method === "GET" && call.body !== undefined)
    fail(call, "body must be left out of a GET request", "body");
  if (call.body !== undefined && !(call.body instanceof Uint8Array)) {
    if (!isRequestBody(call.body)) {
      const got = call.body === null ? "null" : typeof call.body;
      fail(
        call,
        `body must be a Uint8Array or a streamed body such as one of multipartBody, got ${got}`,
        "body",
      );
    }
    if (call.contentType !== undefined)
      fail(call, "contentType must be left out: a streamed body has its own", "contentType");
    if (!canSend(call.body))
      fail(call, "body must be made anew: it is a stream that can be read once, and has been", "body");
    return operation;
  }
  if (operation.wire === "json" && call.contentType !== undefined && !call.contentType.includes("json")) {
    fail(call, `contentType must be that of JSON, got ${call.contentType}`, "contentType");
  }
  return operation;
}

function fail({ operation }: TinkexCall, message: string, field: keyof TinkexCall): never {
  throw new ValidationError(`${operation}: ${message}`, { path: [field] });
}
