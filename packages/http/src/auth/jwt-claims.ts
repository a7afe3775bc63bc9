/** When a token was made and when it ends, in milliseconds since the epoch of the server's clock. */
export interface JwtTimes {
  readonly issuedAtMs: number | undefined;
  readonly expiresAtMs: number | undefined;
}

/** Reads a token's own word about its life. The signature is the server's affair. */
export function jwtTimes(token: string): JwtTimes {
  const claims = readClaims(token);
  return { issuedAtMs: secondsClaim(claims, "iat"), expiresAtMs: secondsClaim(claims, "exp") };
}

function readClaims(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function secondsClaim(claims: unknown, name: string): number | undefined {
  if (typeof claims !== "object" || claims === null) return undefined;
  const value: unknown = Reflect.get(claims, name);
  return typeof value === "number" && Number.isFinite(value) ? value * 1000 : undefined;
}
