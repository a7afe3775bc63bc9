import { describe, expect, it } from "vitest";
import { openService, pauseForSockets, until } from "../testing/open-service.js";

describe("the heartbeat of a session", () => {
  it.each(["close", "await using"])("clients 10: ends with %s, whatever time passes", async (way) => {
    const { stub, service, clock } = await openService();
    await service.connect();
    await until(() => clock.sleepingInBackground > 0, "the first pause between heartbeats");
    await clock.advance(10_000);
    await until(() => stub.seen("session_heartbeat").length === 1, "a heartbeat");
    if (way === "close") await service.close();
    else await service[Symbol.asyncDispose]();
    await clock.advance(60_000);
    await pauseForSockets();
    expect(stub.seen("session_heartbeat")).toHaveLength(1);
    expect(clock.sleepingInBackground).toBe(0);
  });

  it("clients 10: never begins where no session was needed", async () => {
    const { stub, service, clock } = await openService();
    await service.getServerCapabilities();
    await clock.advance(60_000);
    await service.close();
    await pauseForSockets();
    expect(stub.trace).not.toContain("create_session");
    expect(stub.seen("session_heartbeat")).toEqual([]);
  });
});
