import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

async function start(clock: FakeClock, apiKey: string | undefined = CANARY_KEY): Promise<TestServer> {
  return TestServer.start(apiKey === undefined ? { clock } : { clock, apiKey });
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

async function exchange(server: TestServer, credential: string): Promise<string> {
  const { status, body } = await server.post("/auth/token", {}, { "x-api-key": credential });
  expect(status).toBe(200);
  return String(body.jwt);
}

/** Asks for the sessions with a credential, and gives the status and what the answer says of tokens. */
async function ask(server: TestServer, credential: string): Promise<string> {
  const { status, headers } = await server.fetch("GET", "/sessions", {
    headers: { "x-api-key": credential },
  });
  return `${status} ${headers.get("www-authenticate") ?? ""}`.trim();
}

const REFUSED = '401 Bearer error="invalid_token"';

describe("the token of a server with a key", () => {
  it("stands for the key for an hour, and says whose it is", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const server = await start(clock);
    const token = await exchange(server, CANARY_KEY);
    expect(claimsOf(token)).toEqual({
      iss: "tinkex-local",
      sub: "tml:user:local",
      org_id: "local",
      iat: START_MS / 1000,
      exp: START_MS / 1000 + 3_600,
    });
    expect(await ask(server, token)).toBe("200");
    await clock.advance(HOUR_MS - 1);
    expect(await ask(server, token)).toBe("200");
    await clock.advance(1);
    expect(await ask(server, token)).toBe(REFUSED);
    expect(await ask(server, await exchange(server, CANARY_KEY))).toBe("200");
  });

  it("is good at the next server of the same key, and at no other", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const token = await exchange(await start(clock), CANARY_KEY);
    expect(await ask(await start(clock), token)).toBe("200");
    expect(await ask(await start(clock, "tml-other"), token)).toBe(REFUSED);
  });

  it("is refused when anything of it was changed, and gives nothing away of the key", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const server = await start(clock);
    const [header = "", claims = "", signature = ""] = (await exchange(server, CANARY_KEY)).split(".");
    const later = Buffer.from(JSON.stringify({ ...claimsOf(`.${claims}`), exp: 9e12 })).toString("base64url");
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
    const changed = [
      `${header}.${later}.${signature}`,
      `${unsigned}.${claims}.`,
      `${unsigned}.${claims}.${signature}`,
      `${header}.${claims}.${signature.slice(1)}`,
      `${header}.${claims}`,
      `${header}..${signature}`,
      header,
      "eyJ",
    ];
    // Letters of Latin-1 take two bytes each: as many letters as a signature has are more bytes.
    for (const length of [42, 43, 22]) changed.push(`${header}.${claims}.${"é".repeat(length)}`);
    changed.push(
      `${header}.${claims}.${signature.slice(0, -1)}ÿ`,
      `eyJ${"é".repeat(33)}.${claims}.${signature}`,
    );
    for (const token of changed) expect(await ask(server, token), token).toBe(REFUSED);
    // A wrong key is no token: another exchange would not help.
    for (const key of ["tml-wrong", "é".repeat(CANARY_KEY.length), "é"])
      expect(await ask(server, key)).toBe("401");
    expect(`${header}${claims}`).not.toContain(Buffer.from(CANARY_KEY).toString("base64url").slice(0, 12));
  });

  it("is asked for by clients, as the configuration tells them; a server without a key has none", async () => {
    const clock = new FakeClock({ startMs: START_MS });
    const [withKey, without] = [await start(clock), await TestServer.start({ clock })];
    const config = async (server: TestServer, key: string) =>
      (await server.post("/client/config", { sdk_version: "0.38.0" }, { "x-api-key": key })).body
        .pjwt_auth_enabled;
    expect([await config(withKey, CANARY_KEY), await config(without, "tml-any")]).toEqual([true, false]);
    expect(await without.post("/auth/token", {})).toMatchObject({ status: 400 });
    expect(await without.get("/auth/apikey/me")).toMatchObject({ status: 400 });
    const me = (method: string) =>
      withKey.fetch(method, "/auth/apikey/me", { headers: { "x-api-key": CANARY_KEY } });
    expect(await (await me("GET")).json()).toEqual({
      key_id: 1,
      name: "local",
      note: expect.any(String),
      details: { org_details: { name: "local" }, user_details: { email: "local@localhost" } },
    });
    expect((await me("DELETE")).status).toBe(403);
    expect(await ask(withKey, CANARY_KEY)).toBe("200");
  });
});
