import { checkRequest, type TelemetrySendRequest, telemetrySendRequestSchema } from "@tinkex/types";

/** Most batches that are kept. */
const MAX_BATCHES = 1_000;

/** Telemetry that clients have sent: the last thousand batches, in memory alone, for a test to look at. */
export class TelemetryLog {
  #batches: TelemetrySendRequest[] = [];

  /** Keeps a body that is a batch, and leaves any other. */
  add(body: unknown): void {
    const batch = batchIn(body);
    if (batch === undefined) return;
    this.#batches.push(batch);
    if (this.#batches.length > MAX_BATCHES) this.#batches.shift();
  }

  /** The batches, in the order of their arrival. */
  get batches(): readonly TelemetrySendRequest[] {
    return [...this.#batches];
  }
}

function batchIn(body: unknown): TelemetrySendRequest | undefined {
  try {
    return checkRequest(telemetrySendRequestSchema, body, "TelemetrySendRequest");
  } catch {
    return undefined;
  }
}
