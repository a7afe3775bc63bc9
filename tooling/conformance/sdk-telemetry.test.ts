import { startLocalServer } from "@tinkex/local";
import { expect, it, onTestFinished } from "vitest";
import { runPython } from "./run-python.js";

it("the local server takes what the official Python SDK reports, and shows it", {
  timeout: 180_000,
}, async (context) => {
  const server = await startLocalServer();
  onTestFinished(() => server.close());
  const args = [server.url, server.models[0]?.name ?? ""];
  const ran = await runPython("python_sdk_telemetry.py", ["tinker"], args, process.env);
  if ("missing" in ran) {
    console.warn(`skipped: ${ran.missing}`);
    context.skip(ran.missing);
    return;
  }
  const printed = Object.assign({}, ...ran.lines.map((line) => JSON.parse(line)));
  expect(printed).toEqual({ refused: "RequestFailedError", session: expect.any(String) });
  const batches = server.telemetry();
  for (const batch of batches) {
    expect(batch).toMatchObject({ sdk_version: "0.38.0", session_id: printed.session });
  }
  const events = batches.flatMap((batch) => batch.events);
  expect(events.map(({ event_session_index: index }) => index)).toEqual(events.map((_, index) => index));
  expect(events.at(0)).toMatchObject({ event: "SESSION_START" });
  expect(events).toContainEqual(
    expect.objectContaining({
      event: "GENERIC_EVENT",
      event_name: "conformance.event",
      event_data: { nothing: null, count: 3 },
      severity: "WARNING",
    }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      event: "UNHANDLED_EXCEPTION",
      error_type: "ValueError",
      error_message: "caught",
    }),
  );
});
