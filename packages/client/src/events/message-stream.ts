import { type Deferred, deferred, LinkedList } from "@tinkex/base";
import type { ClientIdentity, ClientMessage, DroppedMessages, EventChannel } from "@tinkex/types";
import type { EventHub, MessageReader } from "./event-hub.js";

/** Options of reading the messages of a service client. */
export interface EventsOptions {
  /** Channels to read. @defaultValue all */
  readonly channels?: readonly EventChannel[] | undefined;
  /** Most messages kept for a reader that is slower than they come; further ones are dropped, and counted. @defaultValue 1,000 */
  readonly maxBuffered?: number | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages of a service client from the call of `events()` on, until the client is closed, the loop is left, or the signal aborts. */
export class MessageStream
  implements MessageReader, AsyncIterableIterator<ClientMessage | DroppedMessages, void, undefined>
{
  readonly #hub: Pick<EventHub, "identity" | "clock">;
  readonly #prefixes: readonly string[] | undefined;
  readonly #maxBuffered: number;
  readonly #buffer = new LinkedList<ClientMessage | DroppedMessages>();
  #droppedCount = 0;
  #isEnded = false;
  #arrival: Deferred<void> = deferred();
  readonly #leaves: (() => void)[] = [];

  constructor(
    hub: Pick<EventHub, "identity" | "clock" | "add">,
    channels: readonly EventChannel[] | undefined,
    maxBuffered: number,
  ) {
    this.#hub = hub;
    this.#prefixes = channels?.map((channel) => `${channel}.`);
    this.#maxBuffered = maxBuffered;
    this.#leaves.push(hub.add(this));
  }

  /** Has `leave` called when the stream ends. */
  onEnd(leave: () => void): void {
    if (this.#isEnded) leave();
    else this.#leaves.push(leave);
  }

  read(message: ClientMessage): void {
    if (this.#isEnded) return;
    if (this.#prefixes?.some((prefix) => message.type.startsWith(prefix)) === false) return;
    // The place of those that were dropped takes room too.
    const roomTaken = this.#buffer.length + (this.#droppedCount > 0 ? 1 : 0);
    if (roomTaken >= this.#maxBuffered) {
      this.#droppedCount += 1;
      return;
    }
    this.#noteDropped();
    this.#buffer.add(message);
    this.#wake();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const leave of this.#leaves.splice(0)) leave();
    this.#wake();
  }

  async next(): Promise<IteratorResult<ClientMessage | DroppedMessages, void>> {
    for (;;) {
      if (this.#buffer.length === 0) this.#noteDropped();
      const value = this.#buffer.shift();
      if (value !== undefined) return { done: false, value };
      if (this.#isEnded) return { done: true, value: undefined };
      await this.#arrival.promise;
    }
  }

  /** Ends the stream, and forgets what was not read: for a loop that is left. */
  async return(): Promise<IteratorResult<ClientMessage | DroppedMessages, void>> {
    this.end();
    this.#buffer.clear();
    this.#droppedCount = 0;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #noteDropped(): void {
    if (this.#droppedCount === 0) return;
    const { identity, clock } = this.#hub;
    const service: ClientIdentity = identity;
    this.#buffer.add({ type: "dropped", service, atMs: clock.now(), count: this.#droppedCount });
    this.#droppedCount = 0;
  }

  #wake(): void {
    this.#arrival.resolve();
    this.#arrival = deferred();
  }
}
