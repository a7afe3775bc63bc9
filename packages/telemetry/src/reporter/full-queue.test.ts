import type { TelemetrySendRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { OpenReporter } from "../testing/open-reporter.js";
import { MAX_BATCH_CHARACTERS, MAX_QUEUED, MAX_QUEUED_CHARACTERS } from "./event-queue.js";
import { FLUSH_INTERVAL_MS, LAST_FLUSH_MS, SessionTelemetry } from "./session-telemetry.js";

/** A reporter whose session has begun; the test closes it. */
function begun() {
  const open = new OpenReporter();
  return { open, session: open.reporter.begin(open.session) };
}

/** Data of the largest size that an event has. */
const LARGE = { list: Array.from({ length: 8 }, () => "x".repeat(8_192)) };

describe("the sending", () => {
  it("telemetry 5: keeps no more characters than a few MB, however large the events are, and counts the others", async () => {
    const { open, session } = begun();
    let count = 0;
    while (open.reporter.log("large", LARGE)) count += 1;
    expect(count).toBeGreaterThan(200);
    expect(count * 65_536).toBeLessThan(MAX_QUEUED_CHARACTERS);
    expect(open.reporter.stats).toEqual({ queued: count + 1, sent: 0, dropped: 1 });
    await session.close();
    expect(open.reporter.log("large", LARGE)).toBe(false);
    expect(open.events).toHaveLength(count + 2);
  });

  it("telemetry 6: makes batches that are small enough to arrive, with every event in order", async () => {
    const { open, session } = begun();
    for (let index = 0; index < 40; index += 1) open.reporter.log(`large ${index}`, LARGE);
    await session.close();
    const sizes = open.batches.map(({ events }) => JSON.stringify(events).length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(MAX_BATCH_CHARACTERS + 1_000);
    expect(open.events.map((event) => event.event_session_index)).toEqual(
      Array.from({ length: 42 }, (_, index) => index),
    );
  });

  it("telemetry 14: sends the end of a session whose queue is full, last and once", async () => {
    const { open, session } = begun();
    while (open.reporter.log("filler"));
    await session.close();
    expect(open.events).toHaveLength(MAX_QUEUED + 1);
    expect(open.events.at(-1)).toMatchObject({ event: "SESSION_END" });
    expect(open.events.filter(({ event }) => event === "SESSION_END")).toHaveLength(1);
    expect(open.reporter.stats).toEqual({ queued: 0, sent: MAX_QUEUED + 1, dropped: 1 });
  });

  it("telemetry 14: sends the end of a session at its close where a fatal error had no room for it", async () => {
    const { open, session } = begun();
    while (open.reporter.log("filler"));
    const fail = (): never => {
      throw new Error("x");
    };
    expect(() => open.reporter.capture(fail, { fatal: true })).toThrow("x");
    expect(open.reporter.stats.dropped).toBe(3);
    await open.clock.advance(FLUSH_INTERVAL_MS);
    expect(open.events.some(({ event }) => event === "SESSION_END")).toBe(false);
    await session.close();
    expect(open.events.filter(({ event }) => event === "SESSION_END")).toHaveLength(1);
    expect(open.events.at(-1)).toMatchObject({ event: "SESSION_END" });
  });

  it("telemetry 14: sends the end of a session whose queue is full where the process dies", async () => {
    const sent: TelemetrySendRequest[] = [];
    const open = new OpenReporter("S", { sendNow: (batch) => sent.push(batch) > 0 });
    const session = open.reporter.begin(open.session);
    while (open.reporter.log("filler"));
    if (!(session instanceof SessionTelemetry)) throw new Error("a reporter must begin a SessionTelemetry");
    // As the end of the process has it done where nobody handles an error; the runner of tests handles all.
    session.flushNow(LAST_FLUSH_MS);
    expect(sent.flatMap(({ events }) => events).at(-1)).toMatchObject({ event: "SESSION_END" });
    await session.close();
    expect(open.events).toEqual([]);
  });
});
