import { ENDPOINTS, type EndpointName, isEndpointName } from "@tinkex/types";

interface Row {
  readonly name: EndpointName;
  readonly method: string;
  /** Parts of the path; `undefined` stands for any. */
  readonly parts: readonly (string | undefined)[];
}

const ROWS: readonly Row[] = Object.entries(ENDPOINTS).flatMap(([name, { method, path }]) =>
  isEndpointName(name) ? [{ name, method, parts: partsOf(path).map(fixedPart) }] : [],
);

/**
 * Finds the row of the table of endpoints that a request is for, in the way the router does: a path without a parameter wins over one
 * with. It also finds endpoints that this server does not have.
 *
 * @param path - behind `/api/v1`, without the query
 */
export function endpointOf(method: string, path: string): EndpointName | undefined {
  const given = partsOf(path);
  const rows = ROWS.filter(
    (row) =>
      row.method === method &&
      row.parts.length === given.length &&
      row.parts.every((part, index) => part === undefined || part === given[index]),
  );
  return rows.sort((a, b) => parameterCount(a) - parameterCount(b))[0]?.name;
}

function partsOf(path: string): string[] {
  return path.split("/");
}

function fixedPart(part: string): string | undefined {
  return part.startsWith("{") ? undefined : part;
}

function parameterCount({ parts }: Row): number {
  return parts.filter((part) => part === undefined).length;
}
