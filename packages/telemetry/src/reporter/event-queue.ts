import { randomUUID } from "node:crypto";
import type { JsonObject, Severity, TelemetryEvent } from "@tinkex/types";
import { cut, eventData } from "./event-data.js";
import { durationText, eventTimestamp } from "./event-times.js";
import type { EventContent } from "./failure-events.js";

/** Most events that wait. */
export const MAX_QUEUED = 10_000;
/** Most events of one batch, by the API. */
export const MAX_BATCH = 100;
/** Most characters of the events that wait, as JSON: a few MB, however large the events are that a program makes. */
export const MAX_QUEUED_CHARACTERS = 16 * 1024 * 1024;
/** Most characters of the events of a batch, so that it is sent within its limit of time; one event alone may have more. */
export const MAX_BATCH_CHARACTERS = 1024 * 1024;

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
  readonly #events: TelemetryEvent[] = [];
  /** Characters of each event, in the same order. */
  readonly #sizes: number[] = [];
  #characters = 0;
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
    const sizes = events.map((event) => JSON.stringify(event).length);
    const characters = this.#characters + total(sizes);
    const isEnd = contents.length === 1 && contents[0]?.event === "SESSION_END";
    const isFull = this.#events.length + events.length > MAX_QUEUED || characters > MAX_QUEUED_CHARACTERS;
    if (isFull && !isEnd) {
      this.#refusedCount += events.length;
      return false;
    }
    this.#events.push(...events);
    this.#sizes.push(...sizes);
    this.#characters = characters;
    return true;
  }

  /** Takes the oldest events, as many as a batch may have. */
  takeBatch(): readonly TelemetryEvent[] {
    let count = 0;
    let characters = 0;
    for (const size of this.#sizes) {
      if (count === MAX_BATCH || (count > 0 && characters + size > MAX_BATCH_CHARACTERS)) break;
      count += 1;
      characters += size;
    }
    this.#sizes.splice(0, count);
    this.#characters -= characters;
    return this.#events.splice(0, count);
  }

  /** Throws all events away. Gives their number. */
  clear(): number {
    this.#sizes.length = 0;
    this.#characters = 0;
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

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
