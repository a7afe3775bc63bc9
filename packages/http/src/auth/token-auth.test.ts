import { ApiStatusError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { testToken } from "../testing/test-token.js";
import { TokenAuth } from "./token-auth.js";
import { jwtTimes } from "./token-life.js";

const S = 1_000;

/** A token service: each exchange takes the next answer, the last one for ever. */
function setUp(...answers: readonly (number | Error | "no times")[]) {
  const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
  const state = { exchanges: 0, urgent: [] as boolean[], warnings: 0 };
  const warn = (): void => {
    state.warnings += 1;
  };
  const auth = new TokenAuth({
    source: () => "tml-key",
    exchange: async (key, urgent) => {
      expect(key).toBe("tml-key");
      const answer = answers[Math.min(state.exchanges, answers.length - 1)];
      state.exchanges += 1;
      state.urgent.push(urgent);
      if (answer instanceof Error) throw answer;
      const iat = Math.floor(clock.now() / S) - 500; // The server's clock is slow.
      return testToken(
        answer === "no times"
          ? { n: state.exchanges }
          : { iat, exp: iat + (answer ?? 0), n: state.exchanges },
      );
    },
    clock,
    random: () => 0.5,
    logger: { debug() {}, info() {}, warn, error() {} },
  });
  return { state, clock, auth };
}

const unauthorized = new ApiStatusError("no", {
  code: "authentication_failed",
  status: 401,
  body: "",
  attempts: 1,
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("TokenAuth", () => {
  it("transport 75: many callers, one exchange", async () => {
    const { auth, state } = setUp(3600);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => auth.current()));
    expect(new Set(tokens).size).toBe(1);
    expect(state).toMatchObject({ exchanges: 1, urgent: [true] });
  });

  it("newest-clients 47: renews at half the life, without anybody waiting", async () => {
    const { auth, state, clock } = setUp(3600);
    const first = await auth.current();
    clock.advance(1799 * S);
    await auth.current();
    expect(state.exchanges).toBe(1);
    clock.advance(2 * S);
    expect(await auth.current()).toBe(first);
    await settled();
    expect(state).toMatchObject({ exchanges: 2, urgent: [true, false] });
    expect(await auth.current()).not.toBe(first);
  });

  it("newest-clients 47: a failed renewal is tried again a minute later", async () => {
    const { auth, state, clock } = setUp(3600, new Error("503"));
    await auth.current();
    clock.advance(2000 * S);
    await auth.current();
    await settled();
    await auth.current();
    await settled();
    expect(state.exchanges).toBe(2);
    clock.advance(61 * S);
    await auth.current();
    await settled();
    expect(state.exchanges).toBe(3);
  });

  it("newest-clients 47: with 61 s left the token serves, with 60 s it is exchanged first", async () => {
    const { auth, state, clock } = setUp(3600, new Error("down"), 3600);
    const first = await auth.current();
    clock.advance((3600 - 61) * S);
    expect(await auth.current()).toBe(first);
    await settled();
    clock.advance(1 * S);
    expect(await auth.current()).not.toBe(first);
    expect(state.exchanges).toBe(3);
  });

  it("newest-clients 47: while the old token lives a failed exchange is a warning, then an error", async () => {
    const { auth, state, clock } = setUp(3600, new Error("down"));
    const first = await auth.current();
    clock.advance((3600 - 30) * S);
    expect(await auth.current()).toBe(first);
    expect(state.warnings).toBe(1);
    clock.advance(30 * S);
    await expect(auth.current()).rejects.toThrow("down");
  });

  it("newest-clients 47: a refused key is an error although the old token lives", async () => {
    const { auth, clock } = setUp(3600, unauthorized);
    await auth.current();
    clock.advance((3600 - 30) * S);
    await expect(auth.current()).rejects.toBe(unauthorized);
  });

  it("transport 75: tokens of a minute are not exchanged at every call", async () => {
    const { auth, state, clock } = setUp(40);
    await auth.current();
    clock.advance(4 * S);
    await auth.current();
    expect(state.exchanges).toBe(1);
  });

  it("newest-clients 47: a token that does not tell its life is renewed after a minute", async () => {
    const { auth, state, clock } = setUp("no times");
    await auth.current();
    clock.advance(59 * S);
    await auth.current();
    expect(state.exchanges).toBe(1);
    clock.advance(2 * S);
    await auth.current();
    expect(state.exchanges).toBe(2);
  });

  it("newest-clients 46: one exchange for all who were refused one token", async () => {
    const { auth, state } = setUp(3600);
    const first = await auth.current();
    const replaced = await Promise.all(Array.from({ length: 10 }, () => auth.replace(first)));
    expect(new Set(replaced).size).toBe(1);
    expect(replaced[0]).not.toBe(first);
    expect(await auth.replace(first)).toBe(replaced[0]);
    expect(state.exchanges).toBe(2);
  });
});

describe("jwtTimes", () => {
  it("reads the times, and takes garbage for a token without", () => {
    expect(jwtTimes(testToken({ iat: 1, exp: 2.5 }))).toEqual({ issuedAtMs: 1_000, expiresAtMs: 2_500 });
    const unknown = { issuedAtMs: undefined, expiresAtMs: undefined };
    expect(["", "x", "a.b.c", testToken({ exp: "soon" })].map(jwtTimes)).toEqual(Array(4).fill(unknown));
  });
});
