import { describe, expect, it } from "vitest";
import type { TimedOut, TryOutcome } from "../errors/try-outcome.js";
import { mayHaveArrived } from "./earlier-tries.js";

const answer = (status: number): TryOutcome => ({
  kind: "answer",
  status,
  headers: {},
  body: Uint8Array.of(),
});
const broken = (code: string): TryOutcome => ({
  kind: "broken",
  cause: Object.assign(new Error("x"), { code }),
  isStaleConnection: false,
});
const timedOut = (waitingFor: TimedOut["waitingFor"]): TryOutcome => ({
  kind: "timed_out",
  waitingFor,
  limitMs: 1,
});

describe("mayHaveArrived", () => {
  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "EMPTY_400"])(
    "%s: never",
    (code) => {
      expect(mayHaveArrived(broken(code))).toBe(false);
    },
  );

  it.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])("%s: perhaps", (code) => {
    expect(mayHaveArrived(broken(code))).toBe(true);
  });

  it.each([
    [400, false],
    [408, false],
    [429, false],
    [500, true],
    [503, true],
  ])("answered %i: %s", (status, expected) => {
    expect(mayHaveArrived(answer(status))).toBe(expected);
  });

  it("a try that got no connection sent nothing; one that got no answer may have", () => {
    expect(mayHaveArrived(timedOut("a connection"))).toBe(false);
    expect(mayHaveArrived(timedOut("the status line"))).toBe(true);
    expect(mayHaveArrived(timedOut("the whole answer"))).toBe(true);
  });
});
