import { type CallObserver, type CallTry, silentLogger } from "@tinkex/base";
import { FakeClock, RecordingLogger } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import type { TryOutcome } from "../errors/try-outcome.js";
import { USUAL } from "../operations/policy.js";
import type { WireRequest } from "../request/wire-request.js";
import { type Listeners, RequestObserver } from "./request-observer.js";

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

const isHeard = (given: Partial<Listeners>): boolean => new RequestObserver(listeners(given)).isHeard;

/** An observer of one call that keeps what it hears. */
function recordingObserver(): { readonly observer: CallObserver; readonly heard: string[] } {
  const heard: string[] = [];
  const observer: CallObserver = {
    async aroundTry<T>({ method, url, byteLength }: CallTry, send: () => Promise<T>): Promise<T> {
      heard.push(`${method} ${url} of ${byteLength}`);
      try {
        return await send();
      } finally {
        heard.push("left");
      }
    },
    ended: (_attempt, { status, outcome, answerByteLength }) =>
      heard.push(`${outcome}, ${status}, ${answerByteLength}`),
    retrying: () => {},
    pausing: () => {},
  };
  return { observer, heard };
}

describe("RequestObserver", () => {
  it("says that nobody hears of a request, not even with a hook for its repeats", () => {
    expect(isHeard({})).toBe(false);
    expect(isHeard({ hooks: { onRetry: () => {} } })).toBe(false);
  });

  it("says that a hook or a log of debug lines hears of it", () => {
    expect(isHeard({ hooks: { onRequest: () => {} } })).toBe(true);
    expect(isHeard({ hooks: { onResponse: () => {} } })).toBe(true);
    expect(isHeard({ logger: new RecordingLogger() })).toBe(true);
  });

  it("tells the log of an exchange, without the query", async () => {
    const logger = new RecordingLogger();
    const observer = new RequestObserver(listeners({ logger }));
    const outcome = await observer.observe("list_sessions", request, 1, async () => answered);
    expect(outcome).toBe(answered);
    expect(logger.debugLines).toEqual(["GET http://127.0.0.1/api/v1/sessions: answered 200"]);
  });

  it("tells the observer of a call, around the exchange, of its end and of a failure", async () => {
    const { observer, heard } = recordingObserver();
    const made = new RequestObserver(listeners({}));
    await made.observe("list_sessions", request, 1, async () => answered, observer);
    expect(heard.splice(0)).toEqual([
      "GET http://127.0.0.1/api/v1/sessions of 0",
      "answered 200, 200, 2",
      "left",
    ]);
    const failing = made.observe("list_sessions", request, 2, () => Promise.reject(new Error("x")), observer);
    await expect(failing).rejects.toThrow("x");
    expect(heard.slice(1)).toEqual(["failed, undefined, 0", "left"]);
  });
});
