import { randomUUID } from "node:crypto";
import { FakeClock, RecordingLogger } from "@tinkex/base/testing";
import type { ReportedSession, TelemetryEvent, TelemetrySendRequest } from "@tinkex/types";
import { ServiceReporter } from "../reporter/service-reporter.js";

/** A reporter of a session whose batches the test keeps, on a clock that the test moves. */
export class OpenReporter {
  readonly reporter = new ServiceReporter();
  readonly clock = new FakeClock({ startMs: 1_800_000_000_000 });
  readonly logger = new RecordingLogger();
  readonly batches: TelemetrySendRequest[] = [];
  /** Takes a batch in place of the service, once it is kept. */
  take: (signal: AbortSignal) => Promise<void> = async () => {};
  readonly session: ReportedSession;

  constructor(sessionId: string | undefined = "S", more: Partial<ReportedSession> = {}) {
    this.session = {
      clientId: randomUUID(),
      sessionId,
      sdkVersion: "0.38.0",
      clock: this.clock,
      logger: this.logger,
      send: async (batch, signal) => {
        this.batches.push(batch);
        await this.take(signal);
      },
      ...more,
    };
  }

  /** The events of all batches. */
  get events(): readonly TelemetryEvent[] {
    return this.batches.flatMap(({ events }) => events);
  }
}
