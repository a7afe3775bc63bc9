import { ResponseError, TinkexError } from "@tinkex/base";
import { readErrorBody } from "../errors/error-body.js";
import { type EventReading, type ServerSentEvent, serverSentEvents } from "./server-sent-events.js";

/** An event whose data was JSON. */
export interface JsonEvent extends Omit<ServerSentEvent, "data"> {
  readonly data: unknown;
}

/** The stream told of a failure: an event named `error`. */
export class EventStreamError extends TinkexError {
  static override readonly name: string = "EventStreamError";

  /** What the event held: JSON where it was JSON, else the text. */
  readonly data: unknown;
  /** The last id before it, which a reader that comes back sends as `last-event-id`. */
  readonly lastEventId: string;

  constructor(message: string, data: unknown, lastEventId: string) {
    super(message, { code: "request_failed" });
    this.data = data;
    this.lastEventId = lastEventId;
  }
}

/** How {@link jsonEvents} reads. */
export interface JsonEventReading extends Pick<EventReading, "mostLength"> {
  /** What must not be quoted from the stream's words in a message. */
  readonly secrets?: readonly string[] | undefined;
}

/** The data that says that the stream is over. */
const DONE = "[DONE]";

/**
 * Reads a stream of events that hold JSON, until it ends or says `[DONE]`. Whether to come back after a broken connection
 * is the caller's affair: `id` and `retryMs` of the last event say how.
 *
 * @throws EventStreamError for an event named `error`; ResponseError for data that is no JSON; RangeError for an event
 *   longer than `mostLength`
 */
export async function* jsonEvents(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { mostLength, secrets = [] }: JsonEventReading = {},
): AsyncGenerator<JsonEvent, void, undefined> {
  for await (const event of serverSentEvents(chunks, { mostLength })) {
    if (event.data === DONE) return;
    if (event.event === "error") {
      const { value, summary } = readErrorBody(new TextEncoder().encode(event.data), secrets);
      throw new EventStreamError(`the stream ended with an error: ${summary}`, value, event.id);
    }
    yield { ...event, data: parse(event) };
  }
}

function parse({ event, data, id }: ServerSentEvent): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // The parser's message would quote the data.
    const place = id === "" ? "" : ` after id ${JSON.stringify(id)}`;
    throw new ResponseError(
      `the data of an event ${JSON.stringify(event)}${place} is no JSON (${data.length} characters)`,
      { code: "decode_failed" },
    );
  }
}
