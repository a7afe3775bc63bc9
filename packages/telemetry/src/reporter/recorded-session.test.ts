import { readFileSync } from "node:fs";
import type { TelemetryEvent, TelemetrySendRequest } from "@tinkex/types";
import { encodeRequest } from "@tinkex/wire";
import { describe, expect, it, onTestFinished } from "vitest";
import { ServiceClient } from "../../../client/src/service/service-client.js";
import { StubService } from "../../../client/src/testing/stub-service.js";
import { ServiceReporter } from "./service-reporter.js";

interface Recorded {
  readonly batches: readonly { readonly version: string; readonly body: string }[];
}

const recorded: Recorded = JSON.parse(
  readFileSync(new URL("../testing/recorded-telemetry.json", import.meta.url), "utf8"),
);
const TIMESTAMP = "2026-08-01T12:00:00.123456Z";
const ofVersion = (wanted: string) => recorded.batches.filter(({ version }) => version === wanted);

/** Fields that hold words of the service's, of the program's, or paths: they are not sent, or shortened to what holds none. */
const NOT_SENT = [
  "exception",
  "exception_stack",
  "message",
  "error",
  "error_message",
  "traceback",
  "body",
  "func",
];
/** Fields that differ from run to run. */
const OF_THE_RUN = [
  "event_id",
  "timestamp",
  "event_session_index",
  "request_id",
  "start_time",
  "current_time",
  "elapsed_time",
];

/** The parts of an event that must be the same in every client. */
function comparable(event: TelemetryEvent): unknown {
  return JSON.parse(
    JSON.stringify(event, (key, value: unknown) => {
      if (NOT_SENT.includes(key) || OF_THE_RUN.includes(key)) return undefined;
      return value;
    }),
  );
}

describe("the recorded telemetry of the official SDK", () => {
  it.each(recorded.batches)("telemetry 8: is written by us to the byte ($version)", ({ body }) => {
    const text = body.replaceAll("<timestamp>", TIMESTAMP);
    const batch: TelemetrySendRequest = JSON.parse(text);
    const written = encodeRequest("telemetry", batch, { generation: "0.38" }).body;
    expect(Buffer.from(written).toString()).toBe(text);
  });

  it("telemetry 8: has events of all four kinds, with a traceback, nulls in their data and without either", () => {
    const events = recorded.batches.flatMap(({ body }) => (JSON.parse(body) as TelemetrySendRequest).events);
    expect(new Set(events.map(({ event }) => event)).size).toBe(4);
    const [exception] = events.filter((event) => event.event === "UNHANDLED_EXCEPTION");
    expect(exception).toHaveProperty("traceback");
    if (exception === undefined) return;
    const { traceback: _, ...plain } = { ...exception, timestamp: TIMESTAMP };
    const generic: TelemetryEvent = {
      event: "GENERIC_EVENT",
      event_id: "i",
      event_session_index: 1,
      severity: "INFO",
      timestamp: TIMESTAMP,
      event_name: "n",
      event_data: { nothing: null },
    };
    const batch = { events: [plain, generic], platform: "Linux", sdk_version: "0.38.0", session_id: "s" };
    const text = Buffer.from(encodeRequest("telemetry", batch, { generation: "0.38" }).body).toString();
    expect(text).not.toContain("traceback");
    expect(text).toContain('"event_data":{"nothing":null}');
  });

  it("is ours for the same session, but for ids, times and words that are not sent", async () => {
    const stub = await StubService.start();
    const reporter = new ServiceReporter();
    const service = new ServiceClient({
      baseUrl: stub.url,
      apiKey: "tml-recorded",
      env: {},
      telemetry: reporter,
      logger: silent,
      random: () => 0,
    });
    onTestFinished(async () => {
      await service.close();
      await stub.close();
    });
    const batches = (): TelemetrySendRequest[] => stub.seen("telemetry").map(({ json }) => json as never);
    stub.on("telemetry", () => ({ body: { status: "accepted" } }));
    const training = await service.createLoraTrainingClient({ base_model: "Qwen/Qwen3-8B", rank: 16 });
    await training.optimStep();
    stub.script("optim_step", { status: 422, body: { detail: "bad" } });
    await expect(training.optimStep()).rejects.toThrow("bad");
    stub.script("retrieve_future", { body: { error: "it broke", category: "server" } });
    await expect(training.optimStep()).rejects.toThrow("it broke");
    stub.script("optim_step", { status: 503, body: { detail: "busy" } });
    await training.optimStep();
    await service.close({ status: "errored", detail: "x" });

    const theirs = ofVersion("0.38.0").flatMap(
      ({ body }) => (JSON.parse(body) as TelemetrySendRequest).events,
    );
    const ours = batches().flatMap(({ events }) => events);
    // The official SDK ends the session with each failure of a call, and never at its end.
    const isKept = ({ event }: TelemetryEvent): boolean => event !== "SESSION_END";
    expect(ours.filter(isKept).map(comparable)).toEqual(theirs.filter(isKept).map(comparable));
    expect(ours.filter((event) => !isKept(event))).toEqual([ours.at(-1)]);
    expect(ours.map((event) => event.event_session_index)).toEqual(ours.map((_, index) => index));
    for (const batch of batches()) {
      const { events: __, ...fields } = batch;
      const { events: ___, ...theirFields } = JSON.parse(ofVersion("0.38.0")[0]?.body ?? "");
      expect(Object.keys(fields)).toEqual(Object.keys(theirFields));
      expect(fields).toMatchObject({ sdk_version: "0.38.0", session_id: "S" });
    }
    // The end of the session is told before the last batch, as theirs.
    expect(stub.trace.slice(-2)).toEqual(["sessions/S/finish", "telemetry"]);
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
