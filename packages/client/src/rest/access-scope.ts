import { describeValue, ValidationError } from "@tinkex/base";
import type { EndpointName } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import type { RestRequest } from "./rest-request.js";

/** Owners whose things are shown: the caller alone, or all whose things the caller may see. */
export type AccessScope = "owned" | "accessible";

/** Options of looking at one thing. */
export interface AccessOptions extends CallOptions {
  /** The caller's own, or all that the caller may see. @defaultValue `owned` */
  readonly access_scope?: AccessScope | undefined;
}

export const ACCESS_OPTIONS = { ...CALL_OPTIONS, access_scope: true } as const;

const SCOPES: readonly unknown[] = ["owned", "accessible", undefined];

/** @throws ValidationError */
export function checkAccessScope(method: string, scope: unknown): void {
  if (SCOPES.includes(scope)) return;
  throw new ValidationError(
    `${method}: access_scope must be "owned" or "accessible", got ${describeValue(scope)}`,
    { path: ["access_scope"] },
  );
}

/**
 * Writes the scope for the query. Servers of the 0.4 generation do not know it, and show what the caller owns.
 *
 * @throws UnsupportedByServerError for another scope there
 */
export function accessQuery(
  request: RestRequest,
  name: EndpointName,
  access_scope: AccessScope = "owned",
): { readonly access_scope?: AccessScope } {
  if (request.generation !== "0.4") return { access_scope };
  if (access_scope === "owned") return {};
  throw request.unsupported(name, undefined, ` with access_scope "${access_scope}"`);
}
