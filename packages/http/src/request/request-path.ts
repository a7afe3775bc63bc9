import { ValidationError } from "@tinkex/base";
import type { Operation } from "../operations/operations.js";
import type { TinkexCall } from "../transport-call.js";

/** Fills an operation's path and appends the query: `/api/v1/training_runs/r%201?limit=20`. */
export function requestPath(operation: Operation, call: TinkexCall): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(call.operation, name, call.pathParameters?.[name]),
  );
  const query = queryString(call.query);
  return query === "" ? path : `${path}?${query}`;
}

/** One segment, escaped. What would leave the segment or name none is refused. */
function pathSegment(operation: string, name: string, value: string | undefined): string {
  if (value === undefined || value === "" || value === "." || value === "..") {
    throw new ValidationError(
      `${operation}: ${name} must be a name, not ${JSON.stringify(value) ?? "absent"}`,
      {
        path: ["pathParameters", name],
      },
    );
  }
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new ValidationError(`${operation}: ${name} is not well-formed text`, {
      path: ["pathParameters", name],
      cause,
    });
  }
}

/** `undefined` and empty text are left out, as the API's own clients do. */
function queryString(query: TinkexCall["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") parameters.append(name, String(value));
  }
  return parameters.toString();
}
