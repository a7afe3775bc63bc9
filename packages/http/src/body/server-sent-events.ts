import { ResponseError } from "@tinkex/base";
import { TextPieces } from "./text-pieces.js";

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** @defaultValue `message` */
  readonly event: string;
  readonly data: string;
  /** The last id the stream has given, which a reader that comes back sends as `last-event-id`. */
  readonly id: string;
  /** Pause before coming back that the stream has last asked for, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** Longest event that is kept, in characters. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

/** Most bytes that are looked through at a time. */
const MAX_SLICE_BYTES = 64 * 1024;

/** Options of {@link serverSentEvents}. */
export interface EventReading {
  /** Longest event that is kept, in characters. @defaultValue 16 Mi */
  readonly maxLength?: number | undefined;
  /** Gives an event that has a name but no data, such as a ping, too. @defaultValue false, as the rules say */
  readonly pings?: boolean | undefined;
}

/**
 * Reads server-sent events by the rules of the WHATWG: pieces may end anywhere, also within a character or a line
 * break. An event without data is none; the last one counts only if a blank line ends it.
 *
 * @throws ResponseError when one event grows past `maxLength` characters
 */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxLength = MAX_EVENT_LENGTH, pings = false }: EventReading = {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const pending = new PendingEvent(pings);
  for await (const line of lines(chunks, maxLength)) {
    const event = pending.take(line);
    if (pending.length > maxLength) throw tooLong(maxLength);
    if (event !== undefined) yield event;
  }
}

/** The fields that lines have set since the last blank one. */
class PendingEvent {
  #event = "";
  #data: string[] = [];
  #id = "";
  #retryMs: number | undefined;
  readonly #keepsPings: boolean;
  length = 0;

  constructor(keepsPings: boolean) {
    this.#keepsPings = keepsPings;
  }

  /** Takes one line in; gives the event that it ends. */
  take(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#finish();
    // A comment: nothing of it is kept, so a stream may consist of them.
    if (line.startsWith(":")) return undefined;
    this.length += line.length;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && isPause(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #finish(): ServerSentEvent | undefined {
    const event = {
      event: this.#event || "message",
      data: this.#data.join("\n"),
      id: this.#id,
      retryMs: this.#retryMs,
    };
    const isEmpty = this.#data.length === 0 && !(this.#keepsPings && this.#event !== "");
    this.#event = "";
    this.#data = [];
    this.length = 0;
    return isEmpty ? undefined : event;
  }
}

/** Digits alone, and of a number that is one. */
function isPause(value: string): boolean {
  return /^\d+$/.test(value) && Number.isSafeInteger(Number(value));
}

/** Lines end with CR, LF or both, and with nothing else that Unicode calls a line end. */
async function* lines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string, void, undefined> {
  // Takes a leading byte order mark away and puts U+FFFD for what is no UTF-8.
  const decoder = new TextDecoder();
  const rest = new TextPieces();
  let skipsLineFeed = false;
  for await (const bytes of slices(chunks)) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === "") continue;
    // A CR ends its line at once; the LF of a pair may come with the next piece.
    if (skipsLineFeed && text.startsWith("\n")) text = text.slice(1);
    skipsLineFeed = text.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\r|\n/);
    // Only the new piece is searched: a long line in small pieces would else be searched from its start each time.
    rest.add(first);
    for (const next of others) {
      yield rest.take();
      rest.add(next);
    }
    if (rest.length > maxLength) throw tooLong(maxLength);
  }
}

/** Cuts the same bytes into pieces of some size at most: of a large one the lines alone would take many times its memory. */
async function* slices(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += MAX_SLICE_BYTES)
      yield chunk.subarray(at, at + MAX_SLICE_BYTES);
  }
}

function tooLong(maxLength: number): ResponseError {
  return new ResponseError(`an event of the stream is longer than ${maxLength} characters`);
}
