import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startTestServer } from "./start-test-server.js";

const tiny = {
  name: "test/tiny-llama",
  directory: fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url)),
};

const batch = (index: number) => ({
  events: [
    {
      event: "GENERIC_EVENT",
      event_id: `e${index}`,
      event_session_index: index,
      severity: "INFO",
      timestamp: "2026-08-01T12:00:00.123456Z",
      event_name: "step",
      event_data: { nothing: null },
    },
  ],
  platform: "Linux",
  sdk_version: "0.38.0",
  session_id: "s",
  process_uuid: "p",
});

it("telemetry 19: the server keeps batches for a look at them, and refuses, delays or drops them where it is told to", async () => {
  const server = await startTestServer({ models: [tiny], threads: 1, onFinished: onTestFinished });
  const send = (body: unknown, signal?: AbortSignal) =>
    fetch(`${server.url}/api/v1/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  expect(server.telemetry()).toEqual([]);
  const answer = await send(batch(0));
  expect([answer.status, await answer.json()]).toEqual([200, { status: "accepted" }]);
  expect(server.telemetry()).toEqual([batch(0)]);

  server.addFault({ endpoint: "telemetry", status: 503 });
  expect((await send(batch(1))).status).toBe(503);
  server.addFault({ endpoint: "telemetry", disconnect: "before" });
  await expect(send(batch(2))).rejects.toThrow(TypeError);
  expect(server.telemetry()).toEqual([batch(0)]);
  server.addFault({ endpoint: "telemetry", delayMs: 1 });
  expect((await send(batch(3))).status).toBe(200);
  // One that hangs is given up by whoever asks.
  server.addFault({ endpoint: "telemetry", delayMs: 60_000 });
  await expect(send(batch(4), AbortSignal.timeout(50))).rejects.toMatchObject({ name: "TimeoutError" });
  expect(server.telemetry()).toEqual([batch(0), batch(3)]);

  // Anything else is taken as a client of another version may send it, and not kept.
  expect((await send({ events: "many" })).status).toBe(200);
  expect(server.telemetry()).toHaveLength(2);
});
