import { ValidationError } from "@tinkex/base";
import type { SessionSearchRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { openService, until } from "../testing/open-service.js";

describe("sessions", () => {
  it("clients 87: are walked page by page until one is not full", async () => {
    const { stub, service } = await openService();
    const all = ["a", "b", "c", "d", "e"];
    for (const offset of [0, 2, 4]) {
      stub.on(`sessions?limit=2&offset=${offset}&access_scope=accessible`, () => ({
        body: { sessions: all.slice(offset, offset + 2) },
      }));
    }
    expect(await service.rest.sessions({ pageSize: 2, access_scope: "accessible" }).toArray()).toEqual(all);
    expect(stub.trace.filter((path) => path.startsWith("sessions?"))).toHaveLength(3);
  });

  it("newest-clients 38: are searched for with the defaults written out, and a cursor goes back unchanged", async () => {
    const { stub, service } = await openService();
    const summary = (session_id: string) => ({
      session_id,
      owner: "o",
      project_id: "p",
      created_at: "2026-08-01T12:00:00Z",
      checkpoints_count: 0,
    });
    const next_cursor = { last_created_at: "2026-08-01T12:00:00.123456+00:00", last_session_id: "a" };
    stub.script(
      "sessions/search",
      { body: { sessions: [summary("a")], next_cursor } },
      { body: { sessions: [summary("b")] } },
    );
    const found = await service.rest.foundSessions().toArray();
    expect(found.map(({ session_id: id }) => id)).toEqual(["a", "b"]);
    const [first, second] = stub.seen("sessions/search").map(({ json }) => json);
    expect(first).toEqual({ user_metadata: {}, owner: { type: "own" }, limit: 50 });
    expect(second).toEqual({ user_metadata: {}, owner: { type: "own" }, limit: 50, cursor: next_cursor });
  });

  it.each<readonly [SessionSearchRequest, string]>([
    [{ limit: 0 }, "limit"],
    [{ limit: 201 }, "limit"],
    [{ display_name: "" }, "display_name"],
    [
      { owner: { type: "user", owner_urns: Array.from({ length: 11 }, (_, index) => `u${index}`) } },
      "owner_urns",
    ],
    [{ displayname: "x" } as object, "displayname"],
    [null as never, "object"],
  ])("newest-clients 38: are not searched for by %j", async (search, place) => {
    const { stub, service } = await openService();
    for (const method of ["searchSessions", "foundSessions"] as const) {
      expect(() => service.rest[method](search)).toThrow(ValidationError);
      expect(() => service.rest[method](search)).toThrow(new RegExp(`^${method}: .*${place}`));
    }
    expect(stub.requests).toEqual([]);
  });

  it("clients 84: have their trace exported, which is asked for every five seconds, and said once", async () => {
    const { stub, service, clock, logger } = await openService();
    const place = "sessions/s/trace_export";
    const pending = { body: { status: "pending" } };
    stub.script(place, pending, pending, { body: { status: "ready", url: "https://s.example/t" } });
    const url = service.rest.exportSessionTrace("s");
    for (const count of [1, 2]) {
      await until(() => clock.sleeps.length === count, "a pause");
      expect(clock.sleeps.at(-1)).toBe(5_000);
      await clock.advance(5_000);
    }
    expect(await url).toBe("https://s.example/t");
    expect(stub.seen(place)).toHaveLength(3);
    expect(logger.lines.filter((line) => line.includes("the trace of s is being made"))).toHaveLength(1);
    stub.script(place, { body: { status: "failed", error: "too large" } });
    await expect(service.rest.exportSessionTrace("s")).rejects.toThrow(
      /exportSessionTrace: .*trace of s: too large/,
    );
  });

  it("clients 84: an export that nobody waits for any more is not asked for again", async () => {
    const { stub, service, clock } = await openService();
    stub.on("sessions/s/trace_export", () => ({ body: { status: "pending" } }));
    const controller = new AbortController();
    const url = service.rest.exportSessionTrace("s", { signal: controller.signal });
    await until(() => clock.sleeps.length === 1, "the pause");
    controller.abort();
    await expect(url).rejects.toMatchObject({ code: "aborted" });
    await clock.advance(60_000);
    expect(stub.seen("sessions/s/trace_export")).toHaveLength(1);
  });
});
