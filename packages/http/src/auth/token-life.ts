import { isLoopback } from "../request/base-url.js";
import { CredentialError } from "./credential-error.js";

/** Tells whether a credential is a token (a JWT), which ends, and not a key. */
export function isToken(credential: string): boolean {
  return credential.startsWith("eyJ");
}

/**
 * Refuses a token that has ended, or that does not say when it will, before anything is sent with it: the service would
 * answer 401, which says less. A server on this machine takes any credential, and so a token that names no end.
 *
 * @param source - how the user gave it, for messages
 * @throws CredentialError; its message never holds the token
 */
export function checkTokenLife(credential: string, nowMs: number, baseUrl: string, source: string): void {
  if (!isToken(credential)) return;
  const { expiresAtMs } = jwtTimes(credential);
  if (expiresAtMs === undefined) {
    if (isLoopback(baseUrl)) return;
    throw new CredentialError(`the token (${source}) does not say when it ends; is it whole? Get a new one`);
  }
  if (expiresAtMs > nowMs) return;
  const ended = new Date(expiresAtMs);
  const at = Number.isNaN(ended.getTime()) ? "" : ` at ${ended.toISOString()}`;
  throw new CredentialError(`the token (${source}) ended${at}; get a new one, or use an API key`);
}

/** When a token was made and when it ends, in milliseconds since the epoch of the server's clock. */
export interface JwtTimes {
  readonly issuedAtMs: number | undefined;
  readonly expiresAtMs: number | undefined;
}

/** Reads the times that a token states of itself. The server checks the signature. */
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
