import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { openService } from "../testing/open-service.js";
import { identityOf } from "./identity.js";

/** A token without a signature. */
function tokenOf(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ exp: 4_000_000_000, ...claims })}.x`;
}

describe("whoami", () => {
  it("newest-clients 39, clients 85: is read from the token that the key was exchanged for, without a further request", async () => {
    const { stub, service } = await openService();
    stub.on("client/config", () => ({ body: { pjwt_auth_enabled: true } }));
    stub.on("auth/token", () => ({
      body: { jwt: tokenOf({ sub: "tml:user:u1", org_id: "org1", email: "" }) },
    }));
    await service.getServerCapabilities();
    const before = stub.requests.length;
    expect(await service.rest.whoami()).toEqual({
      user_urn: "tml:user:u1",
      org_urn: "tml:organization:org1",
    });
    expect(stub.requests).toHaveLength(before);
    expect(stub.seen("auth/token")).toHaveLength(1);
  });

  it("clients 85: is read from a key that is a token itself", async () => {
    const apiKey = tokenOf({ sub: "tml:user:u1", email: "a@example.com", iss: "passport-x" });
    const { stub, service } = await openService({ apiKey });
    expect(await service.rest.whoami()).toEqual({ user_urn: "tml:user:u1", email: "a@example.com" });
    expect(stub.trace).toEqual(["client/config", "client/dynamic_config"]);
  });

  it("clients 85: is an error with a plain key, that says what to do and shows nothing of the key", async () => {
    const { service } = await openService({ apiKey: CANARY_KEY });
    const failure = await service.rest.whoami().then(undefined, (error: unknown) => error);
    expect(failure).toMatchObject({ code: "unsupported_by_server", feature: "whoami" });
    expect(String(failure)).toMatch(/whoami: a plain API key does not say whose it is.*get_api_key/);
    expect(String(failure)).not.toContain(CANARY_KEY);
  });

  it.each(["eyJ", "eyJ.!!.x", tokenOf({ org_id: "o" }), tokenOf({ sub: 5 })])(
    "refuses a token that does not say: %s",
    (token) => {
      expect(() => identityOf("whoami", token)).toThrow("whoami: the token does not say whose it is (sub)");
    },
  );
});
