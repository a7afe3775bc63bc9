import { ResponseError, UnsupportedByServerError } from "@tinkex/base";
import type { WhoamiResponse } from "@tinkex/types";

/**
 * Reads whose token it is from its claims. The service has checked its signature.
 *
 * @throws UnsupportedByServerError without a token; ResponseError for one that does not say
 */
export function identityOf(method: string, token: string | undefined): WhoamiResponse {
  if (token === undefined) {
    throw new UnsupportedByServerError(
      `${method}: a plain API key does not say whose it is, and the server gives no tokens; service.call("get_api_key", undefined) asks a server that has it`,
      { feature: "whoami" },
    );
  }
  const claims = readClaims(token);
  const { sub, org_id, email } = claims;
  if (typeof sub !== "string" || sub === "") {
    throw new ResponseError(`${method}: the token does not say whose it is (sub); get a new one`);
  }
  return {
    user_urn: sub,
    ...(typeof org_id === "string" && org_id !== "" ? { org_urn: `tml:organization:${org_id}` } : {}),
    ...(typeof email === "string" && email !== "" ? { email } : {}),
  };
}

function readClaims(token: string): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? Object.fromEntries(Object.entries(claims)) : {};
  } catch {
    return {};
  }
}
