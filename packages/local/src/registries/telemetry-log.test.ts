import { describe, expect, it } from "vitest";
import { TelemetryLog } from "./telemetry-log.js";

const batch = (index: number, text = "") => ({
  events: [
    {
      event: "GENERIC_EVENT",
      event_id: `e${index}`,
      event_session_index: index,
      severity: "INFO",
      timestamp: "2026-08-01T12:00:00.123456Z",
      event_name: "step",
      event_data: { text },
    },
  ],
  platform: "Linux",
  sdk_version: "0.38.0",
  session_id: "s",
  process_uuid: "p",
});
const shown = (log: TelemetryLog) => log.batches.map(({ events: [event] }) => event?.event_session_index);

describe("a log of telemetry", () => {
  it("keeps the last thousand batches, and no body that is none", () => {
    const log = new TelemetryLog();
    for (let index = 0; index < 1_002; index += 1) log.add(batch(index));
    log.add({ nothing: true });
    expect(shown(log)).toHaveLength(1_000);
    expect([shown(log).at(0), shown(log).at(-1)]).toEqual([2, 1_001]);
  });

  it("lets go of the oldest where they take too much memory, and never keeps one that does so alone", () => {
    const log = new TelemetryLog();
    const tenMebibytes = "x".repeat(5 * 2 ** 20);
    for (let index = 0; index < 8; index += 1) log.add(batch(index, tenMebibytes));
    expect(shown(log)).toEqual([2, 3, 4, 5, 6, 7]);
    log.add(batch(8, tenMebibytes.repeat(7)));
    log.add(batch(9));
    expect(shown(log)).toEqual([2, 3, 4, 5, 6, 7, 9]);
  });
});
