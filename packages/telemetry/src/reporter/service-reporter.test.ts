import { ApiStatusError, RequestFailedError, TimeoutError, ValidationError } from "@tinkex/base";
import { type SessionReporter, telemetrySendRequestSchema } from "@tinkex/types";
import { afterEach, describe, expect, it } from "vitest";
import { OpenReporter } from "../testing/open-reporter.js";
import { MAX_STRING_LENGTH } from "./event-data.js";
import { MAX_QUEUED } from "./event-queue.js";
import { platformName } from "./process-identity.js";
import { FLUSH_INTERVAL_MS, LAST_FLUSH_MS, MAX_REFUSED_BATCHES } from "./session-telemetry.js";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const opened: { readonly open: OpenReporter; readonly session: SessionReporter }[] = [];

/** A reporter whose session has begun; it ends with the test. */
function begun(sessionId?: string) {
  const open = new OpenReporter(sessionId);
  const one = { open, session: open.reporter.begin(open.session) };
  opened.push(one);
  return one;
}

afterEach(async () => {
  for (const { open, session } of opened.splice(0)) {
    const closing = session.close();
    await open.clock.advance(LAST_FLUSH_MS);
    await closing;
  }
});

const refused = (status: number, cause?: unknown): ApiStatusError =>
  new ApiStatusError(`answered ${status}: a prompt`, {
    code: "bad_request",
    status,
    body: { detail: "a prompt" },
    attempts: 1,
    cause,
  });

describe("the events of a session", () => {
  it("telemetry 3: begin with SESSION_START, of index 0 and the time at which it began", async () => {
    const { open, session } = begun();
    await open.clock.advance(FLUSH_INTERVAL_MS);
    expect(open.batches).toHaveLength(1);
    expect(open.events).toEqual([
      {
        event: "SESSION_START",
        event_id: expect.stringMatching(UUID_V4),
        event_session_index: 0,
        severity: "INFO",
        timestamp: "2027-01-15T08:00:00.000000Z",
      },
    ]);
    expect(open.batches[0]).toMatchObject({
      session_id: "S",
      sdk_version: "0.38.0",
      platform: platformName(process.platform),
      process_uuid: expect.stringMatching(UUID_V4),
    });
    await session.close();
  });

  it("telemetry 3: neither begin nor end without a session, whose id says so", async () => {
    const open = new OpenReporter("unused", { sessionId: undefined });
    const session = open.reporter.begin(open.session);
    session.callFailed(new Error("x"));
    await session.close();
    expect(open.events.map(({ event }) => event)).toEqual(["UNHANDLED_EXCEPTION"]);
    expect(open.batches[0]?.session_id).toMatch(/^sessionless-/);
    expect(open.batches[0]?.session_id.slice("sessionless-".length)).toMatch(UUID_V4);
  });

  it("telemetry 4: are generic ones with their data and severity, by default none and INFO, and ids of their own", async () => {
    const { open, session } = begun();
    expect(open.reporter.log("a")).toBe(true);
    expect(open.reporter.log("b", { n: 1, nothing: null }, "CRITICAL")).toBe(true);
    await session.close();
    const [, plain, given] = open.events;
    expect(plain).toMatchObject({
      event: "GENERIC_EVENT",
      event_name: "a",
      event_data: {},
      severity: "INFO",
    });
    expect(given).toMatchObject({
      event_name: "b",
      event_data: { n: 1, nothing: null },
      severity: "CRITICAL",
    });
    expect(open.events.map((event) => event.event_session_index)).toEqual([0, 1, 2, 3]);
    expect(new Set(open.events.map((event) => event.event_id)).size).toBe(4);
    for (const { event_id } of open.events) expect(event_id).toMatch(UUID_V4);
    for (const batch of open.batches)
      expect(telemetrySendRequestSchema["~standard"].validate(batch)).not.toHaveProperty("issues");
  });

  it("telemetry 5: are refused all together where the queue has no room for all, which the next index shows", async () => {
    const { open } = begun();
    for (let count = 1; count < MAX_QUEUED - 1; count += 1) open.reporter.log("filler");
    expect(open.reporter.stats).toEqual({ queued: MAX_QUEUED - 1, sent: 0, dropped: 0 });
    // A fatal error is two events, of which the second ends the session.
    expect(() =>
      open.reporter.capture(
        () => {
          throw new Error("x");
        },
        { fatal: true },
      ),
    ).toThrow("x");
    expect(open.reporter.stats.dropped).toBe(2);
    expect(open.logger.debugLines.filter((line) => line.includes("queue full"))).toHaveLength(1);
    expect(open.reporter.log("last")).toBe(true);
    await open.clock.advance(FLUSH_INTERVAL_MS);
    expect(open.events).toHaveLength(MAX_QUEUED);
    expect(open.events.at(-1)?.event_session_index).toBe(MAX_QUEUED + 1);
  });
});

describe("the sending", () => {
  it("telemetry 6: makes no request of an empty queue, one of 5 events, and two of 111, in order", async () => {
    const { open } = begun();
    await open.clock.advance(FLUSH_INTERVAL_MS);
    await open.clock.advance(5 * FLUSH_INTERVAL_MS);
    expect(open.batches).toHaveLength(1);
    for (let count = 0; count < 5; count += 1) open.reporter.log("five");
    await open.clock.advance(FLUSH_INTERVAL_MS);
    expect(open.batches.map(({ events }) => events.length)).toEqual([1, 5]);
    const many = begun();
    for (let count = 0; count < 110; count += 1) many.open.reporter.log(`n${count}`);
    await many.open.clock.advance(FLUSH_INTERVAL_MS);
    expect(many.open.batches.map(({ events }) => events.length)).toEqual([100, 11]);
    expect(many.open.events.map((event) => event.event_session_index)).toEqual(
      Array.from({ length: 111 }, (_, index) => index),
    );
  });

  it("telemetry 6: has one request under way at a time", async () => {
    const { open, session } = begun();
    let underWay = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    open.take = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((resolve) => releases.push(resolve));
      underWay -= 1;
    };
    for (let count = 0; count < 250; count += 1) open.reporter.log("n");
    session.callFailed(new Error("a"));
    session.callFailed(new Error("b"));
    while (open.reporter.stats.sent < 253) {
      releases.shift()?.();
      await open.clock.advance(0);
    }
    expect(most).toBe(1);
    expect(open.batches.map(({ events }) => events.length)).toEqual([100, 100, 53]);
  });

  it("telemetry 7: begins 10 s after the first event, at once for an error, and in the background", async () => {
    const { open, session } = begun();
    expect(open.clock.sleeping).toBe(0);
    expect(open.clock.sleepingInBackground).toBe(1);
    await open.clock.advance(FLUSH_INTERVAL_MS - 1);
    expect(open.batches).toHaveLength(0);
    await open.clock.advance(1);
    expect(open.batches).toHaveLength(1);
    session.callFailed(new Error("x"));
    await open.clock.advance(0);
    expect(open.batches).toHaveLength(2);
  });

  it("telemetry 12: stops after three batches that nobody takes, and keeps nothing", async () => {
    const { open, session } = begun();
    open.take = () => Promise.reject(refused(404));
    for (let count = 0; count < 1_000; count += 1) session.callFailed(new Error("x"));
    await open.clock.advance(FLUSH_INTERVAL_MS);
    expect(open.batches).toHaveLength(MAX_REFUSED_BATCHES);
    for (let count = 0; count < 1_000; count += 1) session.callFailed(new Error("x"));
    await open.clock.advance(10 * FLUSH_INTERVAL_MS);
    expect(open.batches).toHaveLength(MAX_REFUSED_BATCHES);
    expect(open.reporter.stats).toEqual({ queued: 0, sent: 0, dropped: 2_001 });
    expect(open.logger.lines).toEqual([]);
    expect(open.logger.debugLines).toHaveLength(MAX_REFUSED_BATCHES + 1);
  });

  it("telemetry 14: sends what waits at the close, and the end of the session once", async () => {
    const { open, session } = begun();
    open.reporter.log("a");
    await open.clock.advance(1_500);
    await session.close();
    await session.close();
    expect(open.events.map(({ event }) => event)).toEqual(["SESSION_START", "GENERIC_EVENT", "SESSION_END"]);
    expect(open.events.at(-1)).toMatchObject({ duration: "0:00:01.500000", severity: "INFO" });
    expect(open.reporter.log("late")).toBe(false);
    expect(open.clock.sleeping + open.clock.sleepingInBackground).toBe(0);
  });

  it("telemetry 14: gives up after 2 s at the close where the service does not answer", async () => {
    const { open, session } = begun();
    open.take = () => new Promise(() => {});
    const closing = session.close();
    let isClosed = false;
    void closing.then(() => {
      isClosed = true;
    });
    await open.clock.advance(LAST_FLUSH_MS - 1);
    expect(isClosed).toBe(false);
    await open.clock.advance(1);
    expect(isClosed).toBe(true);
    expect(open.clock.sleeping + open.clock.sleepingInBackground).toBe(0);
  });
});

describe("an error", () => {
  it.each([400, 401, 402, 404, 409, 410, 422, 429])(
    "telemetry 10: of status %i is its caller's",
    async (status) => {
      const { open, session } = begun();
      open.reporter.logException(refused(status), "CRITICAL");
      await session.close();
      expect(open.events[1]).toMatchObject({
        event: "GENERIC_EVENT",
        event_name: "user_error",
        severity: "WARNING",
        event_data: { status_code: status, message: `Error code: ${status}` },
      });
    },
  );

  it.each([
    ["a status of 408", refused(408)],
    ["a status of 500", refused(500)],
    ["a status of 503", refused(503)],
    ["no status", new Error("x")],
    ["a fault of the service", new RequestFailedError("x", { requestId: "r", category: "server" })],
    ["a fault of nobody's", new RequestFailedError("x", { requestId: "r", category: "unknown" })],
  ])("telemetry 10: with %s is not its caller's", async (_, error) => {
    const { open, session } = begun();
    open.reporter.logException(error, "CRITICAL");
    await session.close();
    expect(open.events[1]).toMatchObject({ event: "UNHANDLED_EXCEPTION", severity: "CRITICAL" });
    expect(open.events[1]).not.toHaveProperty("traceback");
  });

  it("telemetry 10: is its caller's by what caused it, however deep, and tells the outer name and the inner status", async () => {
    const { open, session } = begun();
    const inner = refused(422);
    const first = new Error("outer", { cause: inner });
    const third = new TypeError("outer", { cause: new Error("middle", { cause: first }) });
    const cyclic = new Error("cyclic");
    cyclic.cause = cyclic;
    const failed = new RequestFailedError("x", { requestId: "r", category: "user" });
    const many = new AggregateError([new Error("a"), refused(404)], "several");
    for (const error of [first, third, cyclic, failed, many]) open.reporter.logException(error);
    await session.close();
    expect(
      open.events.slice(1, 6).map((event) => ("event_data" in event ? event.event_data : event.event)),
    ).toEqual([
      { error_type: "Error", status_code: 422 },
      { error_type: "TypeError", status_code: 422 },
      "UNHANDLED_EXCEPTION",
      { error_type: "RequestFailedError", message: "Request failed" },
      { error_type: "AggregateError", status_code: 404 },
    ]);
  });

  it("telemetry 11: comes through a capture as it is, and is reported once by all of them", async () => {
    const { open, session } = begun();
    const { reporter } = open;
    const error = new TimeoutError("x", { timeoutMs: 1 });
    const fail = (): never => {
      throw error;
    };
    expect(reporter.capture(() => 7)).toBe(7);
    await expect(reporter.capture(async () => 8)).resolves.toBe(8);
    expect(() => reporter.capture(() => reporter.capture(fail))).toThrow(error);
    const later = new Error("later");
    await expect(reporter.capture(() => reporter.capture(() => Promise.reject(later)))).rejects.toBe(later);
    const fatal = new Error("fatal");
    const failFatally = (): never => {
      throw fatal;
    };
    expect(() =>
      reporter.capture(() => reporter.capture(failFatally, { fatal: true }), { fatal: true }),
    ).toThrow(fatal);
    expect(() =>
      reporter.capture(() => {
        throw new DOMException("aborted", "AbortError");
      }),
    ).toThrow("aborted");
    await session.close();
    expect(open.events.map((event) => ("error_type" in event ? event.error_type : event.event))).toEqual([
      "SESSION_START",
      "APITimeoutError",
      "Error",
      "Error",
      "SESSION_END",
    ]);
  });

  it("telemetry 13: is sent without a word of its message, name or stack that may be somebody's", async () => {
    const { open, session } = begun();
    const named = new Error("secret prompt at somebody/train.ts");
    named.name = "somebody/train.ts";
    open.reporter.logException(named);
    open.reporter.logException(refused(500, new Error("secret prompt")));
    open.reporter.logException("secret prompt");
    await session.close();
    expect(JSON.stringify(open.batches)).not.toMatch(/secret|somebody|prompt/);
    expect(open.events.slice(1, 4)).toMatchObject([
      { error_type: "Error", error_message: "" },
      { error_type: "InternalServerError", error_message: "Error code: 500" },
      { error_type: "string", error_message: "" },
    ]);
  });

  it("telemetry 13: whose properties throw when they are read is no trouble", () => {
    const { session } = begun();
    const trap = new Proxy(new Error("x"), {
      get() {
        throw new Error("trap");
      },
    });
    expect(() => session.callFailed(trap)).not.toThrow();
  });
});

describe("the data of an event", () => {
  it("telemetry 18: becomes JSON whatever it holds, and is bounded", async () => {
    const { open, session } = begun();
    const cycle: Record<string, unknown> = { n: 1 };
    cycle.itself = cycle;
    const data = {
      cycle,
      big: 10n,
      run: () => 1,
      symbol: Symbol("x"),
      nan: Number.NaN,
      absent: undefined,
      list: [1, undefined, () => 1],
      long: "x".repeat(3 * MAX_STRING_LENGTH),
      get thrown(): never {
        throw new Error("trap");
      },
    };
    open.reporter.log("odd", data);
    open.reporter.log("much", { list: Array.from({ length: 100_000 }, () => "y".repeat(100)) });
    await session.close();
    expect(open.events[1]).toMatchObject({
      event_data: {
        cycle: { n: 1, itself: "[cycle]" },
        big: "[bigint]",
        run: "[function]",
        symbol: "[symbol]",
        nan: "NaN",
        list: [1, null, "[function]"],
        long: `${"x".repeat(MAX_STRING_LENGTH)}…`,
        thrown: "[unreadable]",
      },
    });
    expect(JSON.stringify(open.events[2]).length).toBeLessThan(100_000);
  });

  it("telemetry 18: never throws, though a part of it cannot even be looked at", async () => {
    const { open, session } = begun();
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const unlisted = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("trap");
        },
      },
    );
    const list: unknown[] = [1];
    Object.defineProperty(list, Symbol.iterator, {
      value: () => {
        throw new Error("trap");
      },
    });
    expect(open.reporter.log("odd", { revoked, unlisted, list, good: 1 })).toBe(true);
    expect(open.reporter.log("odder", unlisted)).toBe(true);
    await session.close();
    const unreadable = "[unreadable]";
    expect(open.events.slice(1, 3)).toMatchObject([
      { event_data: { revoked: unreadable, unlisted: unreadable, list: unreadable, good: 1 } },
      { event_data: {} },
    ]);
  });
});

describe("a reporter", () => {
  it("telemetry 16: shares the id of the process with others, and not that of the session", async () => {
    const [a, b] = [begun("A"), begun("B")];
    await a.session.close();
    await b.session.close();
    expect(a.open.batches[0]?.process_uuid).toBe(b.open.batches[0]?.process_uuid);
    expect([a.open.batches[0]?.session_id, b.open.batches[0]?.session_id]).toEqual(["A", "B"]);
  });

  it("refuses a second client, and keeps the sessions of one that opens another", async () => {
    const { open, session } = begun("A");
    expect(() => open.reporter.begin({ ...open.session, clientId: "another" })).toThrow(ValidationError);
    const next = open.reporter.begin({ ...open.session, sessionId: "B" });
    await session.close();
    open.reporter.log("of the second");
    await next.close();
    expect(open.batches.map(({ session_id, events }) => [session_id, events.length])).toEqual([
      ["A", 2],
      ["B", 3],
    ]);
  });

  it("leaves no listener in the process once its sessions are closed", async () => {
    const count = () =>
      process.listenerCount("beforeExit") + process.listenerCount("uncaughtExceptionMonitor");
    const before = count();
    const { session } = begun();
    expect(count()).toBe(before + 2);
    await session.close();
    expect(count()).toBe(before);
    expect(process.listenerCount("SIGINT") + process.listenerCount("SIGTERM")).toBe(0);
  });
});
