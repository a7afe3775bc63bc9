import { jsonTextFault, ResponseError, TinkexError } from "@tinkex/base";
import { readErrorText } from "../errors/error-body.js";
import { blotOut } from "../hooks/secrets.js";
import { shownText } from "../hooks/shown-text.js";
import { type EventReading, type ServerSentEvent, serverSentEvents } from "./server-sent-events.js";

/** An event whose data was JSON. */
export interface JsonEvent extends Omit<ServerSentEvent, "data"> {
  readonly data: unknown;
}

/** The stream told of a failure: an event named `error`. */
export class EventStreamError extends TinkexError {
  static override readonly name: string = "EventStreamError";

  /** Data of the event: parsed JSON where it was JSON, else the string. */
  readonly data: unknown;
  /** The last id before it, which a reader that comes back sends as `last-event-id`. */
  readonly lastEventId: string;

  constructor(message: string, data: unknown, lastEventId: string) {
    super(message, { code: "request_failed" });
    this.data = data;
    this.lastEventId = lastEventId;
  }
}

/** Options of {@link jsonEvents}. */
export interface JsonEventReading extends Pick<EventReading, "maxLength"> {
  /** Credentials that a message must not quote from the stream. */
  readonly secrets?: readonly string[] | undefined;
}

/** Longest name or id of an event that is shown, in characters. */
const MAX_SHOWN = 100;

/** The data that says that the stream is over. */
const DONE = "[DONE]";

/**
 * Reads a stream of events that hold JSON, until it ends or says `[DONE]`. Whether to come back after a broken connection
 * is for the caller to say: `id` and `retryMs` of the last event say how.
 *
 * @throws EventStreamError for an event named `error`; ResponseError for data that is no JSON or nested too deep, and for an
 *   event longer than `maxLength`
 */
export async function* jsonEvents(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxLength, secrets = [] }: JsonEventReading = {},
): AsyncGenerator<JsonEvent, void, undefined> {
  for await (const event of serverSentEvents(chunks, { maxLength })) {
    if (event.data === DONE) return;
    if (event.event === "error") {
      const { value, summary } = readErrorText(event.data, secrets);
      const lastId = blotOut(event.id, secrets);
      throw new EventStreamError(`the stream ended with an error: ${summary}`, value, lastId);
    }
    yield { ...event, data: parse(event, secrets) };
  }
}

function parse({ event, data, id }: ServerSentEvent, secrets: readonly string[]): unknown {
  const fault = jsonTextFault(data);
  try {
    if (fault === undefined) return JSON.parse(data);
  } catch {
    // The parser's message would quote the data.
  }
  const shown = (text: string): string => `"${shownText(text, secrets, MAX_SHOWN)}"`;
  const place = id === "" ? "" : ` after id ${shown(id)}`;
  const what = fault === undefined ? `no JSON (${data.length} characters)` : `not read: ${fault}`;
  throw new ResponseError(`the data of an event ${shown(event)}${place} is ${what}`, {
    code: "decode_failed",
  });
}
