import { createHmac } from "node:crypto";
import type { Clock } from "@tinkex/base";
import * as z from "zod";
import { RequestRefusal } from "../errors/request-refusal.js";
import { LOCAL_USER } from "../operations/local-user.js";
import { isSameSecret } from "./is-same-secret.js";

/** Life of a token in seconds. Clients take a new one at half of it. */
const LIFE_SECONDS = 3_600;

const HEADER = part({ alg: "HS256", typ: "JWT" });

const claimsSchema = z.object({ exp: z.number() });

/** Header by which clients know that another token will do. */
const INVALID_TOKEN = { "www-authenticate": 'Bearer error="invalid_token"' };

/**
 * Tokens that clients take in exchange for the key, and send in its place for an hour. They are signed with a secret made of the
 * key, so that those of an earlier server with the same key stay good.
 */
export class ServerTokens {
  readonly #clock: Clock;
  readonly #secret: Buffer;

  constructor(apiKey: string, clock: Clock) {
    this.#clock = clock;
    this.#secret = createHmac("sha256", apiKey).update("tokens of a local Tinker server").digest();
  }

  /** Makes a token that names the user of this server. */
  issue(): string {
    const iat = Math.floor(this.#clock.now() / 1000);
    const { userUrn: sub, orgId: org_id } = LOCAL_USER;
    const claims = part({ iss: "tinkex-local", sub, org_id, iat, exp: iat + LIFE_SECONDS });
    return `${HEADER}.${claims}.${this.#signature(`${HEADER}.${claims}`)}`;
  }

  /** Tells a token from a key. */
  isToken(credential: string): boolean {
    return credential.startsWith("eyJ");
  }

  /** @throws RequestRefusal 401 for a token that is not this server's, or is over */
  check(token: string): void {
    const end = token.lastIndexOf(".");
    const signed = token.slice(0, Math.max(0, end));
    const [header, claims = ""] = signed.split(".");
    if (header !== HEADER || !isSameSecret(token.slice(end + 1), this.#signature(signed))) {
      throw new RequestRefusal(
        401,
        "the token is not this server's: take one with auth_token",
        INVALID_TOKEN,
      );
    }
    const { exp } = claimsSchema.parse(JSON.parse(Buffer.from(claims, "base64url").toString("utf8")));
    if (exp * 1000 > this.#clock.now()) return;
    throw new RequestRefusal(
      401,
      `the token was good until ${new Date(exp * 1000).toISOString()}: take another one with auth_token`,
      INVALID_TOKEN,
    );
  }

  #signature(signed: string): string {
    return createHmac("sha256", this.#secret).update(signed).digest("base64url");
  }
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
