import { checkRequest, type TelemetrySendRequest, telemetrySendRequestSchema } from "@tinkex/types";
import { weightOf } from "../json/weight-of.js";

/** Most batches that are kept, and most memory for them. */
const MAX_BATCHES = 1_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Telemetry that clients have sent: the last thousand batches, in memory alone, for a test to look at. */
export class TelemetryLog {
  readonly #batches: { readonly batch: TelemetrySendRequest; readonly bytes: number }[] = [];
  #bytes = 0;

  /** Keeps a body that is a batch, and leaves any other. */
  add(body: unknown): void {
    const batch = batchIn(body);
    if (batch === undefined) return;
    const bytes = weightOf(batch);
    if (bytes > MAX_BYTES) return;
    this.#batches.push({ batch, bytes });
    this.#bytes += bytes;
    while (this.#batches.length > MAX_BATCHES || this.#bytes > MAX_BYTES)
      this.#bytes -= this.#batches.shift()?.bytes ?? 0;
  }

  /** The batches, in the order of their arrival. */
  get batches(): readonly TelemetrySendRequest[] {
    return this.#batches.map(({ batch }) => batch);
  }
}

function batchIn(body: unknown): TelemetrySendRequest | undefined {
  try {
    return checkRequest(telemetrySendRequestSchema, body, "TelemetrySendRequest");
  } catch {
    return undefined;
  }
}
