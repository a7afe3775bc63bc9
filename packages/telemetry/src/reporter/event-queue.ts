import { randomUUID } from "node:crypto";
import type { JsonObject, Severity, TelemetryEvent } from "@tinkex/types";
import { cut, eventData } from "./event-data.js";
import { durationText, eventTimestamp } from "./event-times.js";
import type { EventContent } from "./failure-events.js";

/** Most events that wait. */
export const MAX_QUEUED = 10_000;
/** Most events of one batch, by the API. */
export const MAX_BATCH = 100;

/** An event that is to be sent. The begin and end of a session have nothing but their time. */
export type QueuedContent =
  | EventContent
  | { readonly event: "SESSION_START" }
  | { readonly event: "SESSION_END"; readonly durationMs: number };

/**
 * Events of one session that wait, in the order in which they were made; full, it keeps what it has and counts what it refuses. The end
 * of the session, alone, has a place of its own.
 */
export class EventQueue {
  readonly #now: () => number;
  #events: TelemetryEvent[] = [];
  #nextIndex = 0;
  #refusedCount = 0;

  /** @param now - milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#events.length;
  }

  /** Events that were refused, as the queue was full. Each has taken an index, so that the service sees the gap. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** Adds events of one occasion: all of them, or none. Tells whether there was room. */
  append(contents: readonly QueuedContent[]): boolean {
    const events = contents.map((content) => this.#event(content));
    const isEnd = contents.length === 1 && contents[0]?.event === "SESSION_END";
    if (!isEnd && this.#events.length + events.length > MAX_QUEUED) {
      this.#refusedCount += events.length;
      return false;
    }
    this.#events.push(...events);
    return true;
  }

  /** Takes the oldest events, as many as a batch may have. */
  takeBatch(): readonly TelemetryEvent[] {
    return this.#events.splice(0, MAX_BATCH);
  }

  /** Throws all events away. Gives their number. */
  clear(): number {
    return this.#events.splice(0).length;
  }

  #event(content: QueuedContent): TelemetryEvent {
    const severity: Severity = "severity" in content ? content.severity : "INFO";
    const fields = {
      event_id: randomUUID(),
      event_session_index: this.#nextIndex,
      severity,
      timestamp: eventTimestamp(this.#now()),
    };
    this.#nextIndex += 1;
    switch (content.event) {
      case "SESSION_START":
        return { event: content.event, ...fields };
      case "SESSION_END":
        return { event: content.event, ...fields, duration: durationText(content.durationMs) };
      case "UNHANDLED_EXCEPTION":
        return {
          event: content.event,
          ...fields,
          error_type: content.type,
          error_message: cut(content.message),
        };
      case "GENERIC_EVENT": {
        const event_data: JsonObject = eventData(content.data);
        return { event: content.event, ...fields, event_name: cut(content.name), event_data };
      }
    }
  }
}
