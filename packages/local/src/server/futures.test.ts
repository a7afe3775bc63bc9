import { createConnection } from "node:net";
import { silentLogger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

describe("retrieve_future", () => {
  it("holds a poll, then says to ask again; several polls of one future are all answered", async () => {
    const server = await TestServer.start({ limits: { holdMs: 60 } });
    const model = await server.createModel();
    const open = server.engine.hold();
    const request_id = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const start = performance.now();
    expect(await server.post("/retrieve_future", { request_id })).toEqual({
      status: 408,
      body: { type: "try_again", request_id, queue_state: "active" },
    });
    expect(performance.now() - start).toBeGreaterThan(50);
    const polls = [server.retrieve(request_id), server.retrieve(request_id)];
    open();
    for (const answer of await Promise.all(polls))
      expect(answer).toMatchObject({ metrics: { "step:max": 1 } });
  });

  it("endpoints 7: lets the poll of a client that hung up go, and gives it the result when it asks again", async () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const server = await TestServer.start({ clock, logger });
    const model = await server.createModel();
    const open = server.engine.hold();
    const request_id = await server.submit("/optim_step", { model_id: model, seq_id: 1 });
    const body = JSON.stringify({ request_id });
    const socket = createConnection(server.running.port, "127.0.0.1");
    await new Promise<void>((resolve) => {
      socket.write(
        `POST /api/v1/retrieve_future HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        () => resolve(),
      );
    });
    await expect.poll(() => clock.sleeping).toBe(1);
    socket.destroy();
    await expect.poll(() => clock.sleeping).toBe(0);
    expect(errors).toEqual([]);
    open();
    expect(await server.retrieve(request_id)).toMatchObject({ metrics: { "step:max": 1 } });
    expect(await server.retrieve(request_id)).toMatchObject({ metrics: { "step:max": 1 } });
  });

  it("answers 410 once the result is gone, and 404 to ids it never gave", async () => {
    const server = await TestServer.start({ limits: { keepDeliveredMs: 0 } });
    const session_id = await server.createSession();
    const request_id = await server.submit("/create_model", {
      session_id,
      model_seq_id: 0,
      base_model: "other",
    });
    expect(await server.post("/retrieve_future", { request_id })).toMatchObject({ status: 200 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await server.post("/retrieve_future", { request_id })).toMatchObject({ status: 410 });
    expect(await server.post("/retrieve_future", { request_id: "17" })).toMatchObject({ status: 404 });
    expect(await server.post("/retrieve_future", { request_id: 17 })).toMatchObject({ status: 422 });
  });
});
