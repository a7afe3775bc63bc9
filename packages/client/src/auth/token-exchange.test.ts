import { deferred } from "@tinkex/base";
import type { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { openService, until } from "../testing/open-service.js";

const HOUR_MS = 3_600_000;
/** The service's clock is a day behind ours. */
const SKEW_MS = 86_400_000;

/** A token that lives an hour by the service's clock, and says which it is. */
function tokenAt(clock: FakeClock, count: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor((clock.now() - SKEW_MS) / 1000);
  return `${part({ alg: "none" })}.${part({ iat, exp: iat + HOUR_MS / 1000, count, sub: "u" })}.x`;
}

async function openWithTokens() {
  // Hooks would have each of thousands of events witnessed.
  const opened = await openService({ hooks: {} });
  const { stub, clock } = opened;
  const tokens: string[] = [];
  stub.on("client/config", () => ({ body: { pjwt_auth_enabled: true } }));
  stub.on("auth/token", () => {
    tokens.push(tokenAt(clock, tokens.length));
    return { body: { jwt: tokens.at(-1) } };
  });
  /** Makes so many calls at once, and gives the credentials that they went with. */
  const call = async (count: number): Promise<ReadonlySet<string | undefined>> => {
    const before = stub.requests.length;
    await Promise.all(Array.from({ length: count }, () => opened.service.rest.getServerCapabilities()));
    const sent = stub.requests.slice(before).filter(({ path }) => path === "get_server_capabilities");
    expect(sent).toHaveLength(count);
    return new Set(sent.map(({ headers }) => headers["x-api-key"]));
  };
  return { ...opened, tokens, call };
}

describe("tokens over the time of a run", () => {
  it("calls that need one at once make one exchange, and so do 2,000 that find it over and wait", async () => {
    const { stub, service, tokens, call, clock } = await openWithTokens();
    expect(await call(20)).toEqual(new Set([tokens[0]]));
    expect(tokens).toHaveLength(1);
    await clock.advance(2 * HOUR_MS);
    const usual = stub.usual("auth/token");
    const { promise, resolve } = deferred<void>();
    stub.on("auth/token", async (request) => {
      await promise;
      return usual(request);
    });
    // Most of them give up once the exchange is under way, so that the test need not carry them all.
    const controller = new AbortController();
    const few = call(50);
    const many = Array.from({ length: 1_950 }, () =>
      service.rest.getServerCapabilities({ signal: controller.signal }).catch(({ code }) => code),
    );
    await until(() => stub.seen("auth/token").length === 2, "the exchange");
    controller.abort();
    expect(new Set(await Promise.all(many))).toEqual(new Set(["aborted"]));
    resolve();
    expect(await few).toEqual(new Set([tokens[1]]));
    expect(stub.seen("auth/token")).toHaveLength(2);
  });

  it("are renewed from half of their life on, while the old one serves, whatever the two clocks say", async () => {
    const { stub, tokens, call, clock } = await openWithTokens();
    await call(1);
    await clock.advance(0.4 * HOUR_MS);
    await call(10);
    expect(tokens).toHaveLength(1);
    await clock.advance(0.2 * HOUR_MS);
    const usual = stub.usual("auth/token");
    const { promise, resolve } = deferred<void>();
    stub.on("auth/token", async (request) => {
      await promise;
      return usual(request);
    });
    // The exchange hangs, and nobody waits for it.
    expect(await call(20)).toEqual(new Set([tokens[0]]));
    await until(() => stub.seen("auth/token").length === 2, "the exchange");
    resolve();
    await until(() => tokens.length === 2, "the new token");
    await expect.poll(async () => [...(await call(1))][0], { timeout: 15_000 }).toBe(tokens[1]);
    expect(stub.seen("auth/token")).toHaveLength(2);
  });

  it("that the service refuses are replaced once for all calls that met the refusal", async () => {
    const { stub, service, tokens, call } = await openWithTokens();
    await call(1);
    const usual = stub.usual("get_server_capabilities");
    stub.on("get_server_capabilities", (request) =>
      request.headers["x-api-key"] === tokens[0]
        ? { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } }
        : usual(request),
    );
    await Promise.all(Array.from({ length: 50 }, () => service.rest.getServerCapabilities()));
    expect(tokens).toHaveLength(2);
    expect(await call(1)).toEqual(new Set([tokens[1]]));
  });
});
