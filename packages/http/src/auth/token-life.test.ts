import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { createTransport } from "../create-transport.js";
import { testToken } from "../testing/test-token.js";
import { failureOf, play, transportTo } from "../testing/test-transport.js";
import { CredentialError } from "./credential-error.js";
import { checkTokenLife } from "./token-life.js";

const REMOTE = "https://tinker.example";
const check =
  (credential: string, baseUrl = REMOTE) =>
  (): void =>
    checkTokenLife(credential, 5_000_000, baseUrl, "apiKey");

describe("checkTokenLife", () => {
  it("takes keys, and tokens that have not ended", () => {
    expect(check("tml-a")).not.toThrow();
    expect(check(testToken({ exp: 5_001 }))).not.toThrow();
  });

  it("newest-clients 48: refuses a token that has ended, and says when", () => {
    expect(check(testToken({ exp: 5_000 }))).toThrow(CredentialError);
    expect(check(testToken({ exp: 4_000 }))).toThrow(
      /^the token \(apiKey\) ended at 1970-01-01T01:06:40.000Z;/,
    );
    expect(check(testToken({ exp: 4_000 }), "http://127.0.0.1:1")).toThrow(CredentialError);
    expect(check(testToken({ exp: -1e300 }))).toThrow(/ended;/);
  });

  it("refuses a token that names no end, unless it is for a server on this machine", () => {
    for (const token of ["eyJx", "eyJ.%%%.", testToken({ iat: 1 }), testToken({ exp: "5001" })]) {
      expect(check(token)).toThrow(/does not say when it ends/);
      expect(check(token, "http://localhost:1")).not.toThrow();
    }
  });
});

describe("a token in place of a key", () => {
  it("newest-clients 48: is sent until it ends, and then refused before any byte", async () => {
    const server = await play(answer(200));
    const token = testToken({ exp: 100, canary: "claim" });
    const transport = transportTo(server, { apiKey: token });
    transport.clock.advance(99_000 - transport.clock.now());
    await transport.call({ operation: "get_info" });
    expect(server.header("x-api-key")).toEqual([token]);
    transport.clock.advance(1_000);
    const error = await failureOf(transport.call({ operation: "get_info" }));
    expect(error).toBeInstanceOf(CredentialError);
    expect(error.message).not.toContain(token);
    expect(server.requests).toHaveLength(1);
  });

  it("newest-clients 48: that a credential command prints is looked at too", async () => {
    const server = await play(answer(200));
    const credential = (): string => testToken({ exp: 1 });
    const transport = transportTo(server, { apiKey: undefined, credential });
    expect(await failureOf(transport.call({ operation: "get_info" }))).toBeInstanceOf(CredentialError);
    expect(server.requests).toHaveLength(0);
  });

  it("that names no end is refused as the transport is made", () => {
    expect(() => createTransport({ baseUrl: REMOTE, apiKey: "eyJx" })).toThrow(CredentialError);
  });
});
