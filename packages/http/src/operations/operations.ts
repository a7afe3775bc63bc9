import { ENDPOINTS, type Endpoint, type EndpointName, isEndpointName } from "@tinkex/types/endpoints";
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

/** The row of `name`, or `undefined` when there is none. */
export function findOperation(name: string): Operation | undefined {
  return isEndpointName(name) ? OPERATIONS[name] : undefined;
}
