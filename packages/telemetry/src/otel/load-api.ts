import { createRequire } from "node:module";
import { errorMessage, isPackageMissing, TinkexError } from "@tinkex/base";

/** The package `@opentelemetry/api`, which the user's program installs together with an SDK of its choice. */
export type OtelApi = typeof import("@opentelemetry/api");

const NAME = "@opentelemetry/api";

/**
 * Loads the user's `@opentelemetry/api`, at once: what it registers is shared by all copies of the package in a process, so that it
 * does not matter by which way it was loaded before.
 *
 * @throws TinkexError (`missing_dependency`) with the install command where it is not installed
 */
export function loadApi(require: (name: string) => unknown = createRequire(import.meta.url)): OtelApi {
  try {
    // The package of that name is the API, of which the peer range says the version.
    return require(NAME) as OtelApi;
  } catch (cause) {
    const state = isPackageMissing(NAME, cause)
      ? "is not installed"
      : `cannot be loaded (${errorMessage(cause)})`;
    throw new TinkexError(
      `@tinkex/telemetry/otel needs ${NAME}, which ${state}. Install it: npm install ${NAME}`,
      { code: "missing_dependency", cause },
    );
  }
}
