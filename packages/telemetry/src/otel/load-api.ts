import { createRequire } from "node:module";
import { errorMessage, isPackageMissing, TinkexError } from "@tinkex/base";

/** The package `@opentelemetry/api`, which the user's program installs together with an SDK of its choice. */
export type OtelApi = typeof import("@opentelemetry/api");

const NAME = "@opentelemetry/api";

/** Versions that have what is used here. */
const RANGE = "^1.9.0";

/** Parts of the package that are used: other major versions, and the first ones of this, lack some. */
const PARTS = {
  context: ["active", "with"],
  diag: ["error"],
  metrics: ["getMeter"],
  trace: ["deleteSpan", "getSpan", "getTracerProvider", "setSpan", "setSpanContext"],
} as const;

/**
 * Loads the user's `@opentelemetry/api`, at once: what it registers is shared by all copies of the package in a process, so that it
 * does not matter by which way it was loaded before.
 *
 * @throws TinkexError (`missing_dependency`) with the install command where it is not installed, or in a version of other parts
 */
export function loadApi(require: (name: string) => unknown = createRequire(import.meta.url)): OtelApi {
  let found: unknown;
  try {
    found = require(NAME);
  } catch (cause) {
    const state = isPackageMissing(NAME, cause)
      ? "is not installed"
      : `cannot be loaded (${errorMessage(cause)})`;
    throw new TinkexError(
      `@tinkex/telemetry/otel needs ${NAME}, which ${state}. Install it: npm install ${NAME}`,
      { code: "missing_dependency", cause },
    );
  }
  const missing = missingPart(found);
  if (missing === undefined) return found as OtelApi; // as the check says
  throw new TinkexError(
    `@tinkex/telemetry/otel needs ${NAME} ${RANGE}, and the one that is installed has no ${missing}. Install it: npm install ${NAME}@${RANGE}`,
    { code: "missing_dependency" },
  );
}

/** Names a part that is used and not there. */
function missingPart(api: unknown): string | undefined {
  for (const [part, methods] of Object.entries(PARTS)) {
    const own = memberOf(api, part);
    const method = methods.find((name) => typeof memberOf(own, name) !== "function");
    if (method !== undefined) return `${part}.${method}`;
  }
  const functions = ["createTraceState", "isSpanContextValid"] as const;
  const objects = ["ROOT_CONTEXT", "SpanKind", "SpanStatusCode"] as const;
  return (
    functions.find((name) => typeof memberOf(api, name) !== "function") ??
    objects.find((name) => typeof memberOf(api, name) !== "object")
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
