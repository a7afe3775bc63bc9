import { silentLogger } from "@tinkex/base";
import { FakeClock, RecordingLogger } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import type { TryOutcome } from "../errors/try-outcome.js";
import { USUAL } from "../operations/policy.js";
import type { WireRequest } from "../request/wire-request.js";
import { type Listeners, requestObserver } from "./request-observer.js";

const request: WireRequest = {
  pool: "rest",
  method: "GET",
  origin: "http://127.0.0.1",
  path: "/api/v1/sessions?name=secret",
  headers: [],
  body: undefined,
  timeouts: USUAL,
  maxAnswerBytes: 1_000,
};
const answered: TryOutcome = { kind: "answer", status: 200, headers: {}, body: Uint8Array.of(1, 2) };
const listeners = (given: Partial<Listeners>): Listeners => ({
  hooks: {},
  logger: silentLogger,
  clock: new FakeClock({ startMs: 0 }),
  ...given,
});

describe("requestObserver", () => {
  it("makes none where nobody would hear of a request, not even of its repeats", () => {
    expect(requestObserver(listeners({}))).toBeUndefined();
    expect(requestObserver(listeners({ hooks: { onRetry: () => {} } }))).toBeUndefined();
  });

  it("makes one for a hook, and one for a log of debug lines", () => {
    expect(requestObserver(listeners({ hooks: { onRequest: () => {} } }))).toBeDefined();
    expect(requestObserver(listeners({ hooks: { onResponse: () => {} } }))).toBeDefined();
    expect(requestObserver(listeners({ logger: new RecordingLogger() }))).toBeDefined();
  });

  it("tells the log of an exchange, without the query", async () => {
    const logger = new RecordingLogger();
    const outcome = await requestObserver(listeners({ logger }))?.observe(
      "list_sessions",
      request,
      1,
      async () => answered,
    );
    expect(outcome).toBe(answered);
    expect(logger.debugLines).toEqual(["GET http://127.0.0.1/api/v1/sessions: answered 200"]);
  });
});
