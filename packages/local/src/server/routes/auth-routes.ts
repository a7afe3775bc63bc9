import type { FastifyInstance } from "fastify";
import { RequestRefusal } from "../../errors/request-refusal.js";
import { LOCAL_USER } from "../../operations/local-user.js";
import { on } from "../on-endpoint.js";
import type { ServerTokens } from "../server-tokens.js";

/** Endpoints of credentials. @param tokens - absent for a server without a key, which has nobody to tell from others */
export function addAuthRoutes(api: FastifyInstance, tokens: Pick<ServerTokens, "issue"> | undefined): void {
  const keyless = (): RequestRefusal =>
    new RequestRefusal(
      400,
      "this server was started without a key, and so has neither keys nor tokens to tell of",
    );

  on(api, "auth_token", () => {
    if (tokens === undefined) throw keyless();
    return { jwt: tokens.issue() };
  });

  on(api, "get_api_key", () => {
    if (tokens === undefined) throw keyless();
    return {
      key_id: 1,
      name: "local",
      note: "the key that this server was started with",
      details: { org_details: { name: LOCAL_USER.orgId }, user_details: { email: "local@localhost" } },
    };
  });

  on(api, "revoke_api_key", async () => {
    throw new RequestRefusal(
      403,
      "the key of this server ends with it: start the server again with another apiKey",
    );
  });
}
