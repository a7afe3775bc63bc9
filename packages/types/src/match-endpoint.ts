import { checkString } from "@tinkex/base";
import { ENDPOINTS, type Endpoint, type EndpointName } from "./endpoints.js";

/** The endpoint that an address belongs to, with the values in its path. */
export interface EndpointMatch {
  readonly name: EndpointName;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** A proxy may put more in front of it. */
const PREFIX = "/api/v1";

/** The parts of each row's path, split once. */
const ROWS = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => {
  const { method, path }: Endpoint = ENDPOINTS[name];
  return { name, method, parts: path.split("/") };
});

/**
 * Finds the endpoint of a request, for servers, proxies and logs of traffic.
 *
 * @param path - without a query; all up to `/api/v1` is left out, where that is in it
 * @returns undefined where the API has no such endpoint
 */
export function matchEndpoint(method: string, path: string): EndpointMatch | undefined {
  checkString(path, "matchEndpoint: path", "/api/v1/optim_step");
  const prefixAt = path.indexOf(PREFIX);
  const given = (prefixAt === -1 ? path : path.slice(prefixAt + PREFIX.length)).split("/");
  let best: EndpointMatch | undefined;
  let bestLiterals = -1;
  for (const row of ROWS) {
    if (row.method !== method || row.parts.length !== given.length) continue;
    const pathParameters = matchParts(row.parts, given);
    if (pathParameters === undefined) continue;
    // A literal part goes before a parameter: `/sessions/search` is no session of that name.
    const literals = row.parts.length - Object.keys(pathParameters).length;
    if (literals <= bestLiterals) continue;
    best = { name: row.name, pathParameters };
    bestLiterals = literals;
  }
  return best;
}

function matchParts(parts: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== value) return undefined;
      continue;
    }
    const decoded = decodePart(value);
    if (decoded === undefined || decoded === "") return undefined;
    found[part.slice(1, -1)] = decoded;
  }
  return found;
}

function decodePart(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
